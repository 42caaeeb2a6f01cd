import type { ApiKeyScope } from "./api-keys.ts";
import { parseBase64UrlJson } from "./base64url.ts";
import {
  findHeader,
  verifySignature,
  type VerifyWebhookOptions,
  type WebhookHeaders,
  WebhookVerificationError,
} from "./verify-signature.ts";

/** The header with the verified caller of a function: JSON in base64url. The signature covers it. */
export const FUNCTION_CALLER_HEADER = "X-Service-Caller";

/** Who calls a function of the operator, and what is called. Verified by the service. */
export interface FunctionCaller {
  readonly role: "anon" | "authenticated" | "service_role";
  /** Null for the anon and the service role. */
  readonly user_id: string | null;
  /** As it was when the access token was issued. */
  readonly email: string | null;
  readonly session_id: string | null;
  /** `aal2` after a second factor. */
  readonly aal: string | null;
  /** Only if the caller used an API key of the user. */
  readonly api_key_id?: string;
  /** The scopes of the API key. */
  readonly scopes?: readonly ApiKeyScope[];
  /** Also in the log of the service, and in `X-Request-Id` of the response. */
  readonly request_id: string;
  /** The name under `/functions/v1/`. */
  readonly function: string;
  readonly method: string;
  /** With its `?`; empty when there is none. */
  readonly query: string;
}

/**
 * Resolves with the caller of a function that the service has forwarded, or rejects with a `WebhookVerificationError` that
 * names the reason. The scheme is that of webhooks; the signed bytes are `<timestamp>.<X-Service-Caller>.<body>`. The body is
 * the received one, before any parsing; the secret is `FUNCTIONS_SECRET`, or a list of secrets.
 */
export async function verifyFunctionCall(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  options: VerifyWebhookOptions = {},
): Promise<FunctionCaller> {
  const caller = findHeader(headers, FUNCTION_CALLER_HEADER);
  if (caller === null) throw new WebhookVerificationError("caller_missing");
  await verifySignature([`${caller}.`, body], headers, secret, options);
  return parseCaller(caller);
}

function parseCaller(text: string): FunctionCaller {
  try {
    const value = parseBase64UrlJson(text);
    if (typeof value === "object" && value !== null && "role" in value) return value as FunctionCaller;
  } catch {
    // Reported below.
  }
  throw new WebhookVerificationError("caller_malformed");
}
