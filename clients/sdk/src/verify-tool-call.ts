import { decodeBase64Url, encodeBase64Url, parseBase64UrlJson } from "./base64url.ts";
import {
  TOOL_CALL_ALGORITHM,
  TOOL_CALL_KEYS_PATH,
  TOOL_CALL_TOKEN_TYPE,
  TOOL_IDENTITY_HEADER,
  type ToolCallClaims,
} from "./tool-calls.ts";
import { findHeader, toBytes, type WebhookHeaders } from "./verify-signature.ts";

/** Why the call of a tool was rejected. Respond with 401, and with 503 to `keys_unavailable`. */
export const TOOL_CALL_REFUSALS = {
  token_missing: "The header with the token is missing",
  token_malformed: "The header is not a signed token",
  type_mismatch: "The token is not one of a tool call",
  algorithm_mismatch: "The token is not signed with Ed25519",
  keys_unavailable: "The keys of the service cannot be read",
  key_unknown: "The service has no key with the id of the token",
  signature_mismatch: "The signature does not belong to this token",
  issuer_mismatch: "The token is one of another service",
  token_expired: "The token has expired",
  token_not_yet_valid: "The token is from the future",
  audience_mismatch: "The token belongs to another URL",
  method_mismatch: "The token belongs to another method",
  body_mismatch: "The token belongs to another body",
} as const;

export type ToolCallRefusal = keyof typeof TOOL_CALL_REFUSALS;

export class ToolCallVerificationError extends Error {
  readonly reason: ToolCallRefusal;

  constructor(reason: ToolCallRefusal, options?: ErrorOptions) {
    super(TOOL_CALL_REFUSALS[reason], options);
    this.name = "ToolCallVerificationError";
    this.reason = reason;
  }
}

/** A `Request` of the platform, whose body stays readable, or the parts of a request, for example of Node's `IncomingMessage`. */
export type ToolCallRequest =
  | Request
  | {
      readonly method: string | undefined;
      /** The path with its query, or a whole URL, of which only these are read. */
      readonly url: string | undefined;
      readonly headers: WebhookHeaders;
      /** As it was received, before any parsing. */
      readonly body?: string | Uint8Array | null;
    };

export interface ToolCallKeys {
  readonly keys: readonly Readonly<Record<string, unknown>>[];
}

export interface VerifyToolCallOptions {
  /** The URL of the service: its `PUBLIC_URL`. */
  readonly issuer: string;
  /**
   * The URL under which the service reaches this server, such as `https://shop.example.com`. If a proxy removes a part of the
   * path, with that part. It is not taken from the request, whose sender chooses the header `Host`.
   */
  readonly audience: string;
  /** The keys of the service. By default they are requested, and kept for ten minutes. */
  readonly jwks?: ToolCallKeys;
  /** Requests the keys; default: the fetch of the platform. */
  readonly fetch?: (url: string, init: { readonly signal: AbortSignal }) => Promise<Response>;
  /** How far the clocks of service and server may differ; default 5. */
  readonly toleranceSeconds?: number;
  readonly now?: Date;
}

const TOLERANCE_SECONDS = 5;
const KEYS_MAX_AGE_MS = 600_000;
/** Anybody can name an unknown key, so the keys are not requested more often than this. */
const KEYS_MIN_AGE_MS = 30_000;
const KEYS_TIMEOUT_MS = 10_000;

/**
 * Resolves with the claims of a call of an HTTP tool, or rejects with a `ToolCallVerificationError` that names the reason. A token
 * is valid for a minute and for one request: its URL, method and body. Whoever must not execute a request twice keeps its `jti`
 * for this time, or `tool_call_id`, which is also the `Idempotency-Key`.
 */
export async function verifyToolCall(
  request: ToolCallRequest,
  options: VerifyToolCallOptions,
): Promise<ToolCallClaims> {
  const token = findHeader(request.headers, TOOL_IDENTITY_HEADER);
  if (token === null || token === "") throw new ToolCallVerificationError("token_missing");
  const claims = await verifyToken(token, options);
  const { audience, toleranceSeconds = TOLERANCE_SECONDS, now = new Date() } = options;
  const nowSeconds = now.getTime() / 1000;
  // Each comparison is false for a claim that is missing.
  if (!(claims.iss === withoutSlash(options.issuer))) throw new ToolCallVerificationError("issuer_mismatch");
  if (!(nowSeconds < claims.exp + toleranceSeconds)) throw new ToolCallVerificationError("token_expired");
  if (!(claims.iat <= nowSeconds + toleranceSeconds)) throw new ToolCallVerificationError("token_not_yet_valid");
  const url = `${withoutSlash(new URL(audience).href)}${pathOf(request.url ?? "")}`;
  if (!(claims.aud === url)) throw new ToolCallVerificationError("audience_mismatch");
  if (!(claims.htm === request.method)) throw new ToolCallVerificationError("method_mismatch");
  const hash = encodeBase64Url(await crypto.subtle.digest("SHA-256", await readBody(request)));
  if (!(claims.body_sha256 === hash)) throw new ToolCallVerificationError("body_mismatch");
  return claims;
}

async function verifyToken(token: string, options: VerifyToolCallOptions): Promise<ToolCallClaims> {
  const [head = "", payload = "", signature = "", ...others] = token.split(".");
  const { typ, alg, kid, crit } = parsePart(head);
  if (others.length > 0 || crit !== undefined) throw new ToolCallVerificationError("token_malformed");
  if (typ !== TOOL_CALL_TOKEN_TYPE) throw new ToolCallVerificationError("type_mismatch");
  if (alg !== TOOL_CALL_ALGORITHM) throw new ToolCallVerificationError("algorithm_mismatch");
  const claims = parsePart(payload);
  const key = await findKey(kid, options);
  const signed = new TextEncoder().encode(`${head}.${payload}`);
  const isSigned = await crypto.subtle.verify({ name: "Ed25519" }, key, decodePart(signature), signed);
  if (!isSigned) throw new ToolCallVerificationError("signature_mismatch");
  return claims as unknown as ToolCallClaims;
}

function parsePart(text: string): Readonly<Record<string, unknown>> {
  try {
    const value = parseBase64UrlJson(text);
    if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
  } catch {
    // Reported below.
  }
  throw new ToolCallVerificationError("token_malformed");
}

function decodePart(text: string): Uint8Array<ArrayBuffer> {
  try {
    return decodeBase64Url(text);
  } catch {
    throw new ToolCallVerificationError("token_malformed");
  }
}

/** Only the types of browsers have a global name for it. */
type PublicKey = Parameters<typeof crypto.subtle.verify>[1];

async function findKey(kid: unknown, { issuer, jwks, fetch: send = fetch }: VerifyToolCallOptions): Promise<PublicKey> {
  const find = ({ keys }: ToolCallKeys) =>
    keys.find(({ kid: id, kty, crv }) => id === kid && kty === "OKP" && crv === "Ed25519");
  const key =
    jwks === undefined
      ? (find(await readKeys(issuer, send, KEYS_MAX_AGE_MS)) ?? find(await readKeys(issuer, send, KEYS_MIN_AGE_MS)))
      : find(jwks);
  if (typeof kid !== "string" || typeof key?.["x"] !== "string") throw new ToolCallVerificationError("key_unknown");
  const jwk = { kty: "OKP", crv: "Ed25519", x: key["x"] };
  return crypto.subtle.importKey("jwk", jwk, { name: "Ed25519" }, false, ["verify"]);
}

/** By issuer. */
const keptKeys = new Map<string, { readonly keys: Promise<ToolCallKeys>; readonly readAtMs: number }>();

function readKeys(
  issuer: string,
  send: NonNullable<VerifyToolCallOptions["fetch"]>,
  maxAgeMs: number,
): Promise<ToolCallKeys> {
  const kept = keptKeys.get(issuer);
  if (kept !== undefined && Date.now() - kept.readAtMs < maxAgeMs) return kept.keys;
  const keys = requestKeys(issuer, send);
  keptKeys.set(issuer, { keys, readAtMs: Date.now() });
  keys.catch(() => {
    if (keptKeys.get(issuer)?.keys !== keys) return;
    if (kept === undefined) keptKeys.delete(issuer);
    else keptKeys.set(issuer, kept);
  });
  return keys;
}

async function requestKeys(issuer: string, send: NonNullable<VerifyToolCallOptions["fetch"]>): Promise<ToolCallKeys> {
  try {
    const url = `${withoutSlash(issuer)}${TOOL_CALL_KEYS_PATH}`;
    const response = await send(url, { signal: AbortSignal.timeout(KEYS_TIMEOUT_MS) });
    if (!response.ok) throw new Error(`status ${response.status}`);
    const { keys } = (await response.json()) as ToolCallKeys;
    if (!Array.isArray(keys)) throw new TypeError("not a key set");
    return { keys };
  } catch (cause) {
    throw new ToolCallVerificationError("keys_unavailable", { cause });
  }
}

function withoutSlash(url: string): string {
  return url.endsWith("/") ? url.slice(0, -1) : url;
}

function pathOf(url: string): string {
  if (url.startsWith("/")) return url;
  const parsed = URL.canParse(url) ? new URL(url) : null;
  return parsed === null ? "" : `${parsed.pathname}${parsed.search}`;
}

async function readBody(request: ToolCallRequest): Promise<Uint8Array<ArrayBuffer>> {
  if ("clone" in request) return new Uint8Array(await request.clone().arrayBuffer());
  // Copied, because the bytes may be a view of a larger or a shared buffer.
  return new Uint8Array(toBytes(request.body ?? ""));
}
