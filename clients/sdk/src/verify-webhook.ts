import type { SwarmbaseEvent } from "./events.ts";
import {
  toBytes,
  verifySignature,
  type VerifyWebhookOptions,
  type WebhookHeaders,
  WebhookVerificationError,
} from "./verify-signature.ts";

/**
 * Resolves with the event, or rejects with a `WebhookVerificationError` that names the reason. The body is the received
 * one, before any parsing; the secret is the webhook's secret as the service shows it, including the prefix, or a list
 * of secrets. A newer service may send types that this version does not know: a `switch` over `event.type` needs a
 * `default`.
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  options: VerifyWebhookOptions = {},
): Promise<SwarmbaseEvent> {
  await verifySignature([body], headers, secret, options);
  return parseEnvelope(toBytes(body));
}

function parseEnvelope(body: Uint8Array): SwarmbaseEvent {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    throw new WebhookVerificationError("body_malformed");
  }
  if (!isEnvelope(value)) throw new WebhookVerificationError("body_malformed");
  return value;
}

function isEnvelope(value: unknown): value is SwarmbaseEvent {
  if (typeof value !== "object" || value === null) return false;
  const { id, type, created_at, api_version, data } = value as Record<string, unknown>;
  // The type is not compared with the list, because a newer service may send types that this version does not know.
  return (
    [id, type, created_at, api_version].every((text) => typeof text === "string") &&
    typeof data === "object" &&
    data !== null &&
    !Array.isArray(data)
  );
}
