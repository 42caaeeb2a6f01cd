import { OAuthError } from "@modelcontextprotocol/client";
import { ToolFailure } from "swarmbase/extension";
import { explainMcpError } from "../explain-mcp-error.ts";

const KNOWN_CODE = /^[a-z_]{1,64}$/;
/** The server will not accept these credentials any more, however often they are sent. */
const FINAL_CODES: ReadonlySet<string> = new Set(["invalid_grant", "invalid_client", "unauthorized_client"]);

/** Translates the error of a sign-in at the server of a tool. */
export function explainOAuthError(error: unknown): ToolFailure {
  if (!(error instanceof OAuthError)) {
    const failure = explainMcpError(error, 1);
    if (failure.fault.code !== "TOOL_REMOTE_ERROR") return failure;
    return new ToolFailure("TOOL_REMOTE_ERROR", "The server of the tool does not offer a sign-in that works.", {
      cause: error,
    });
  }
  const code = KNOWN_CODE.test(error.code) ? error.code : "error";
  return new ToolFailure("TOOL_REMOTE_ERROR", `The authorization server refused (${code}).`, { cause: error });
}

export function isFinal(error: unknown): boolean {
  return error instanceof OAuthError && FINAL_CODES.has(error.code);
}
