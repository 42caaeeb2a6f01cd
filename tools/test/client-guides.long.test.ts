import { spawnSync } from "node:child_process";
import { followPage } from "./support/follow-page.ts";

// The quick-starts of clients in JavaScript and Go, of API keys, of programs and of the MCP server, with the Go of the machine or the one that GO names. The modules of Go come
// from the Go module proxy.

const go = process.env["GO"] ?? "go";
const hasGo = spawnSync(go, ["version"], { stdio: "ignore" }).status === 0;

await followPage("docs/guides/clients.md");
await followPage("docs/guides/api-keys.md");
await followPage("docs/guides/oauth.md");
await followPage("docs/guides/mcp-server.md");
await followPage("docs/guides/go.md", { skip: !hasGo && `${go} is not installed`, programs: { go } });
