import { createHmac, createSecretKey, type KeyObject } from "node:crypto";
import { PREVIOUS_SIGNATURES_HEADER, STANDARD_WEBHOOK_HEADERS, WEBHOOK_HEADERS } from "@swarmbase/sdk";
import type { Delivery } from "./delivery.ts";

const SECRET_PREFIX = "whsec_";
const USER_AGENT = "Swarmbase-Webhooks/1";

type Signable = Pick<Delivery, "id" | "eventId" | "eventType" | "secret" | "previousSecrets">;

/** The headers of one attempt, without those of the webhook and of the connection. */
export function buildDeliveryHeaders(delivery: Signable, body: Buffer, now: Date): Record<string, string> {
  return {
    "Content-Type": "application/json",
    "User-Agent": USER_AGENT,
    ...buildSignedHeaders(delivery, body, Math.floor(now.getTime() / 1_000)),
  };
}

/** The signature headers of one attempt. */
export function buildSignedHeaders(
  { id, eventId, eventType, secret, previousSecrets }: Signable,
  body: string | Buffer,
  timestampSeconds: number,
): Record<string, string> {
  const messageId = `evt_${eventId}`;
  const prefix = `${timestampSeconds}.`;
  const headers: Record<string, string> = {
    [WEBHOOK_HEADERS.signature]: signText(prefix, body, secret),
    [WEBHOOK_HEADERS.event]: eventType,
    [WEBHOOK_HEADERS.delivery]: id,
    [WEBHOOK_HEADERS.timestamp]: String(timestampSeconds),
    [STANDARD_WEBHOOK_HEADERS.id]: messageId,
    [STANDARD_WEBHOOK_HEADERS.timestamp]: String(timestampSeconds),
    [STANDARD_WEBHOOK_HEADERS.signature]: [secret, ...previousSecrets]
      .map((key) => signStandard(`${messageId}.${prefix}`, body, key))
      .join(" "),
  };
  if (previousSecrets.length > 0)
    headers[PREVIOUS_SIGNATURES_HEADER] = previousSecrets.map((key) => signText(prefix, body, key)).join(", ");
  return headers;
}

/** The key is the text of the secret, prefix included. */
function signText(prefix: string, body: string | Buffer, secret: string): string {
  return `sha256=${createHmac("sha256", secret).update(prefix).update(body).digest("hex")}`;
}

/** The key is the decoded secret, as the Standard Webhooks specification requires. */
function signStandard(prefix: string, body: string | Buffer, secret: string): string {
  return `v1,${createHmac("sha256", findKey(secret)).update(prefix).update(body).digest("base64")}`;
}

const MAX_KEYS = 4_096;
const keys = new Map<string, KeyObject>();

/** Caches key objects: signing with raw bytes takes Node several times as long. */
function findKey(secret: string): KeyObject {
  const known = keys.get(secret);
  if (known !== undefined) return known;
  const text = secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret;
  const key = createSecretKey(text, "base64");
  if (keys.size >= MAX_KEYS) keys.clear();
  keys.set(secret, key);
  return key;
}
