import { ToolFailure } from "swarmbase/extension";
import type { McpAuth } from "./mcp-config.ts";

/** The headers that send the tool's secret to its server. */
export function applyAuth(
  auth: Exclude<McpAuth, { readonly type: "oauth" }> | undefined,
  secrets: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  if (auth === undefined) return {};
  const secret = Object.hasOwn(secrets, auth.secret) ? secrets[auth.secret] : undefined;
  if (secret === undefined) throw new ToolFailure("TOOL_UNUSABLE", `The tool has no secret called ${auth.secret}.`);
  switch (auth.type) {
    case "bearer":
      return { authorization: `Bearer ${secret}` };
    case "basic":
      return { authorization: `Basic ${Buffer.from(`${auth.username}:${secret}`).toString("base64")}` };
    case "header":
      return { [auth.header.toLowerCase()]: secret };
  }
}
