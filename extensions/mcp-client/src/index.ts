// In charge of: tools of MCP servers as tools of the kind `mcp`: sessions, calls, questions, authorizations, programs.
// Not in charge of: agents of this service for MCP clients, which the extension `mcp-server` serves; the rows of tools and runs.
import { defineExtension } from "swarmbase/extension";
import { CALLBACK_ROUTE } from "./oauth/callback-route.ts";
import { CLIENT_DOCUMENT_ROUTE } from "./oauth/client-document-route.ts";
import { openMcpKind } from "./open-mcp-kind.ts";
import { SETTINGS } from "./settings.ts";

/** For calls, in addition to the two that a session may keep. */
const CALL_CONNECTIONS = 64;

export const extension = defineExtension({
  name: "mcp-client",
  summary: "tools of MCP servers",
  docs: new URL("../README.md", import.meta.url),
  settings: SETTINGS,
  configure: ({ MCP_SESSIONS_PER_SERVER: sessions }) => ({
    connections: {
      // A session may have a connection for messages of the server and one for a call that asks a person, and the answer needs a
      // further one.
      perOrigin: CALL_CONNECTIONS + 2 * sessions,
      idleTimeoutMs: 0,
      allowsPlainLoopback: true,
    },
  }),
  routes: [CALLBACK_ROUTE, CLIENT_DOCUMENT_ROUTE],
  toolKinds: [{ name: "mcp", open: (context) => openMcpKind(context) }],
});
