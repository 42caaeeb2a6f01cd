import type { ExtensionContext, ExtensionSettingRow } from "swarmbase/extension";

export const SETTINGS = [
  {
    name: "MCP_SESSIONS_PER_NODE",
    kind: "integer",
    min: 1,
    max: 10_000,
    default: 200,
    description:
      "Maximum number of sessions with MCP servers that one node holds at a time. Where one of the three limits is reached, idle sessions are closed, and a call that needs a further one waits within its `timeout_ms`.",
  },
  {
    name: "MCP_SESSIONS_PER_SERVER",
    kind: "integer",
    min: 1,
    max: 10_000,
    default: 50,
    description: "Maximum number of sessions that one node holds with MCP servers of one origin.",
  },
  {
    name: "MCP_SESSIONS_PER_USER",
    kind: "integer",
    min: 1,
    max: 10_000,
    default: 20,
    description: "Maximum number of sessions with MCP servers that one node holds for the tools of one user.",
  },
  {
    name: "MCP_SERVERS_FILE",
    kind: "path",
    default: null,
    description:
      "JSON file with the MCP servers that this node starts as programs, for tools whose `config` names one of them. See [the guide](../guides/tools.md#servers-that-the-operator-starts).",
  },
  {
    name: "MCP_OAUTH_CLIENTS_FILE",
    kind: "path",
    default: null,
    description:
      "JSON file with the OAuth clients that you have registered for accounts that people connect. See [the guide](../guides/tools.md#accounts-of-the-people-who-ask).",
  },
] as const satisfies readonly ExtensionSettingRow[];

/** Of this extension. */
export type McpContext = ExtensionContext<typeof SETTINGS>;
