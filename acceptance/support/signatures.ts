import { createHmac } from "node:crypto";
import type { Received } from "./receiver.ts";

/** Section 6.3: the hex HMAC-SHA256 of timestamp, dot and raw body, keyed with the secret as it is shown. */
export function signatureOf({ headers, body }: Received, secret: string): string {
  const signed = `${String(headers["x-service-timestamp"])}.${body}`;
  return `sha256=${createHmac("sha256", secret).update(signed).digest("hex")}`;
}

/**
 * The same delivery according to Standard Webhooks: base64 over id, timestamp and body, keyed with the secret's bytes.
 */
export function standardSignatureOf({ headers, body }: Received, secret: string): string {
  const signed = `${String(headers["webhook-id"])}.${String(headers["webhook-timestamp"])}.${body}`;
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  return `v1,${createHmac("sha256", key).update(signed).digest("base64")}`;
}
