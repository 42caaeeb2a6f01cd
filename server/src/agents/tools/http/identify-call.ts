import { createHash } from "node:crypto";
import { API_KEY_SCOPES, TOOL_IDENTITY_HEADER } from "@swarmbase/sdk";
import { apiKeyIdOf, hasScope } from "../../../db/index.ts";
import type { ToolCall } from "../tool-kind.ts";
import type { CallSigner } from "./call-signer.ts";

export interface IdentifiedRequest {
  readonly url: URL;
  readonly method: string;
  readonly body: string | null;
  readonly toolId: string;
  readonly callId: string;
}

/** The header with which a server verifies for whom it is called, for one attempt. */
export async function identifyCall(
  signer: CallSigner,
  { url, method, body, toolId, callId }: IdentifiedRequest,
  { name, starter, hide }: Pick<ToolCall, "name" | "starter" | "hide">,
): Promise<Readonly<Record<string, string>>> {
  const { principal, call } = await starter.open();
  const apiKeyId = apiKeyIdOf(principal);
  const token = signer.sign({
    aud: `${url.origin}${url.pathname}${url.search}`,
    htm: method,
    body_sha256: createHash("sha256")
      .update(body ?? "")
      .digest("base64url"),
    tool: { id: toolId, name },
    sub: principal.userId,
    ...(call !== null && { act: { sub: call.agentId }, run_id: call.runId }),
    tool_call_id: callId,
    // A server must be able to reject what an API key may not do.
    ...(apiKeyId !== null && {
      api_key_id: apiKeyId,
      scopes: API_KEY_SCOPES.filter((scope) => hasScope(principal, scope)),
    }),
  });
  hide?.(token);
  // A server may echo the parts of the token. Without the signature, they are of no use.
  hide?.(token.slice(token.lastIndexOf(".") + 1));
  return { [TOOL_IDENTITY_HEADER.toLowerCase()]: token };
}
