import { createHash } from "node:crypto";
import { AppError } from "../errors/index.ts";
import type { ParsedRequest } from "./parse/parsed-request.ts";
import type { RestCall } from "./rest-call.ts";

/** The `Idempotency-Key` of a request that inserts rows: repeated with the same key, it returns the first response. */
export interface WriteKey {
  readonly key: string;
  /** Of all parts of the request that its effect or its response depend on; a value of the type bytea. */
  readonly requestHash: string;
}

const HEADER = "idempotency-key";
/** The headers that the effect or the response of an insert depends on. */
const HASHED_HEADERS = ["prefer", "accept", "content-profile", "content-type"];

/** Returns null without a key, and for other writes than inserts, which have the same effect when they are repeated. */
export function readWriteKey(checked: { readonly call: RestCall; readonly request: ParsedRequest }): WriteKey | null {
  const { call, request } = checked;
  const key = joinHeader(call.input.headers[HEADER]);
  if (key === "" || request.method !== "POST" || request.target.kind !== "relation") return null;
  if (call.principal.role !== "authenticated") throw invalidKey("needs the token of a user");
  if (key.length > 255) throw invalidKey("must have 1 to 255 characters");
  if (!key.isWellFormed() || key.includes("\0")) throw invalidKey("must be text without zero bytes");
  return { key, requestHash: hashRequest(call) };
}

function invalidKey(fault: string): AppError {
  return new AppError("VALIDATION_ERROR", `The Idempotency-Key ${fault}`, { details: { "Idempotency-Key": fault } });
}

/** An API key may not see what its user, or another key, got as the response. */
function hashRequest({ input, path, principal }: RestCall): string {
  const headers = HASHED_HEADERS.map((name) => joinHeader(input.headers[name]));
  const head = JSON.stringify([path, input.search, ...headers, principal.claims["api_key_id"]]);
  const hash = createHash("sha256")
    .update(head)
    .update(input.body ?? "");
  return `\\x${hash.digest("hex")}`;
}

function joinHeader(value: string | readonly string[] | undefined): string {
  return typeof value === "object" ? value.join(",") : (value ?? "");
}
