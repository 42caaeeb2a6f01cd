import { createHmac } from "node:crypto";
import { FUNCTION_CALLER_HEADER, type FunctionCaller, WEBHOOK_HEADERS } from "@swarmbase/sdk";
import type { ExtensionRequest } from "swarmbase/extension";

type Claims = ExtensionRequest["caller"]["claims"];

export interface SignedCall {
  readonly name: string;
  readonly query: string;
  readonly body: Buffer;
  readonly secret: string;
  readonly now: Date;
}

/** The headers that tell a function who calls it, signed as webhooks are. `verifyFunctionCall` of the SDK verifies them. */
export function buildSignedHeaders(
  request: Pick<ExtensionRequest, "id" | "method" | "caller">,
  call: SignedCall,
): Record<string, string> {
  const { caller } = request;
  const described: FunctionCaller = {
    role: caller.role,
    user_id: caller.userId,
    email: textOf(caller.claims["email"]),
    session_id: textOf(caller.claims["session_id"]),
    aal: textOf(caller.claims["aal"]),
    ...describeApiKey(caller.claims),
    request_id: request.id,
    function: call.name,
    method: request.method,
    query: call.query,
  };
  const header = Buffer.from(JSON.stringify(described)).toString("base64url");
  const timestamp = String(Math.floor(call.now.getTime() / 1000));
  const signature = createHmac("sha256", call.secret).update(`${timestamp}.${header}.`).update(call.body).digest("hex");
  return {
    [FUNCTION_CALLER_HEADER]: header,
    [WEBHOOK_HEADERS.timestamp]: timestamp,
    [WEBHOOK_HEADERS.signature]: `sha256=${signature}`,
  };
}

/** A function must be able to reject what an API key may not do. */
function describeApiKey({ api_key_id: id, scopes }: Claims): Pick<FunctionCaller, "api_key_id" | "scopes"> {
  if (typeof id !== "string" || !Array.isArray(scopes)) return {};
  return { api_key_id: id, scopes };
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
