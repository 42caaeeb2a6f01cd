import { PREVIOUS_SIGNATURES_HEADER, WEBHOOK_HEADERS, WEBHOOK_TOLERANCE_SECONDS } from "./deliveries.ts";

/** Why a delivery or the call of a function was rejected; respond with a 4xx status in each case. */
export const WEBHOOK_REFUSALS = {
  secret_missing: "No signing secret was given",
  signature_missing: "The signature header is missing",
  signature_malformed: "The signature header is not 64 hex digits, with or without sha256= before them",
  signature_mismatch: "The signature does not belong to this body, timestamp and secret",
  timestamp_missing: "The timestamp header is missing",
  timestamp_malformed: "The timestamp header is not a whole number of seconds",
  timestamp_out_of_tolerance: "The timestamp is too far from the current time",
  body_malformed: "The body is not a JSON event envelope",
  caller_missing: "The header with the caller is missing",
  caller_malformed: "The header with the caller is not a JSON object in base64url",
} as const;

export type WebhookRefusal = keyof typeof WEBHOOK_REFUSALS;

export class WebhookVerificationError extends Error {
  readonly reason: WebhookRefusal;

  constructor(reason: WebhookRefusal) {
    super(WEBHOOK_REFUSALS[reason]);
    this.name = "WebhookVerificationError";
    this.reason = reason;
  }
}

/** A `Headers` object, or a plain record such as that of Node's `IncomingMessage`. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyWebhookOptions {
  /** The maximum difference between the timestamp and now, in both directions; default 300. */
  toleranceSeconds?: number;
  now?: Date;
}

const encoder = new TextEncoder();

/**
 * Checks the signature and the timestamp of a request of the service. The signed bytes are the timestamp, a dot and
 * `parts`. Returns nothing, or rejects with a `WebhookVerificationError` that names the reason.
 */
export async function verifySignature(
  parts: readonly (string | Uint8Array)[],
  headers: WebhookHeaders,
  secret: string | readonly string[],
  options: VerifyWebhookOptions,
): Promise<void> {
  const secrets = (typeof secret === "string" ? [secret] : secret).filter((text) => text !== "");
  if (secrets.length === 0) throw new WebhookVerificationError("secret_missing");

  const timestamp = readTimestamp(headers, options);
  const signatures = [readSignature(headers), ...readPreviousSignatures(headers)];
  const signed = joinBytes([`${timestamp}.`, ...parts].map((part) => toBytes(part)));

  // Compares all secrets even after a match, so that the duration does not reveal which one matched.
  let matches = false;
  for (const key of secrets) {
    const expected = await hmacSha256(encoder.encode(key), signed);
    for (const signature of signatures) if (isSameBytes(expected, signature)) matches = true;
  }
  if (!matches) throw new WebhookVerificationError("signature_mismatch");
}

export function toBytes(text: string | Uint8Array): Uint8Array {
  return typeof text === "string" ? encoder.encode(text) : text;
}

function readTimestamp(headers: WebhookHeaders, { toleranceSeconds, now }: VerifyWebhookOptions): string {
  const text = findHeader(headers, WEBHOOK_HEADERS.timestamp);
  if (text === null) throw new WebhookVerificationError("timestamp_missing");
  if (!/^\d{1,12}$/.test(text)) throw new WebhookVerificationError("timestamp_malformed");
  const ageSeconds = Math.abs(Math.floor((now ?? new Date()).getTime() / 1000) - Number(text));
  // Negated, so that a tolerance or a date that is NaN is rejected instead of accepted.
  if (!(ageSeconds <= (toleranceSeconds ?? WEBHOOK_TOLERANCE_SECONDS))) {
    throw new WebhookVerificationError("timestamp_out_of_tolerance");
  }
  return text;
}

function readSignature(headers: WebhookHeaders): Uint8Array {
  const text = findHeader(headers, WEBHOOK_HEADERS.signature);
  if (text === null) throw new WebhookVerificationError("signature_missing");
  const signature = parseSignature(text);
  if (signature === null) throw new WebhookVerificationError("signature_malformed");
  return signature;
}

/** For a receiver that still has the previous secret; malformed values are ignored. */
function readPreviousSignatures(headers: WebhookHeaders): Uint8Array[] {
  const texts = findHeader(headers, PREVIOUS_SIGNATURES_HEADER)?.split(",") ?? [];
  return texts.map((text) => parseSignature(text.trim())).filter((signature) => signature !== null);
}

function parseSignature(text: string): Uint8Array | null {
  const hex = /^(?:sha256=)?([0-9a-f]{64})$/i.exec(text)?.[1];
  if (hex === undefined) return null;
  const bytes = new Uint8Array(hex.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16);
  return bytes;
}

export function findHeader(headers: WebhookHeaders, name: string): string | null {
  if (typeof headers.get === "function") return headers.get(name)?.trim() ?? null;
  for (const [key, value] of Object.entries(headers)) {
    if (key.toLowerCase() !== name.toLowerCase()) continue;
    // A repeated header is ambiguous; joining makes it malformed instead of picking one.
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    return values.every((item) => typeof item === "string") ? values.join(", ").trim() : null;
  }
  return null;
}

function joinBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}

async function hmacSha256(key: Uint8Array<ArrayBuffer>, message: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const imported = await crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", imported, message));
}

function isSameBytes(left: Uint8Array, right: Uint8Array): boolean {
  if (left.length !== right.length) return false;
  let difference = 0;
  for (let i = 0; i < left.length; i++) difference |= (left[i] ?? 0) ^ (right[i] ?? 0);
  return difference === 0;
}
