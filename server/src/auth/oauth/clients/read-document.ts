import * as z from "zod";
import { AppError } from "../../../errors/index.ts";
import { readJson } from "../../../json/index.ts";
import { authError } from "../../auth-error.ts";
import { parseAuthBody } from "../../parse-call.ts";
import type { NewClient } from "../../sql/oauth-clients.ts";
import { CLIENT_METADATA, readMetadata } from "./client-metadata.ts";

export interface ClientDocument {
  readonly columns: NewClient;
  readonly lifetimeMs: number;
}

const MAX_ID_LENGTH = 2048;
const MAX_NAME_LENGTH = 100;
const MIN_LIFETIME_SECONDS = 300;
const DEFAULT_LIFETIME_SECONDS = 3_600;
const MAX_LIFETIME_SECONDS = 86_400;

/** Everybody can read the document, so it has no secrets, and keys of clients are not supported. */
const DOCUMENT = CLIENT_METADATA.extend({
  client_id: z.string(),
  token_endpoint_auth_method: z.literal("none", "must be none").optional(),
  client_secret: z.undefined("must be absent").optional(),
});

/** Says why no client can have this address as its id; null when one can. */
export function findDocumentIdFault(id: string, baseUrl: string): string | null {
  const url = URL.parse(id);
  if (id.length > MAX_ID_LENGTH) return `a client id has at most ${MAX_ID_LENGTH} characters`;
  if (url === null || url.protocol !== "https:") return "the id of a client is a UUID or an https address";
  // Another spelling of an address would be another client. This includes dot segments and the default port.
  if (url.href !== id) return "the address is not in its normal form";
  if (id.includes("#") || url.username !== "" || url.password !== "" || url.pathname === "/")
    return "the address needs a path, and must not have a fragment or user information";
  return url.origin === new URL(baseUrl).origin ? "the address is one of this service" : null;
}

/** Throws an `AppError` that names the fault. */
export function readDocument(
  id: string,
  { headers, text }: { readonly headers: Headers; readonly text: string },
): ClientDocument {
  if (!/^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(headers.get("content-type") ?? ""))
    throw documentError("the content type is not JSON");
  const reading = readJson(text);
  if (reading.fault !== null) throw documentError(reading.fault);
  try {
    const { client_id, ...metadata } = parseAuthBody(DOCUMENT, { body: reading.value });
    if (client_id !== id) throw authError("validation_failed", "client_id is not the address of the document");
    const name = metadata.client_name ?? new URL(id).host.slice(0, MAX_NAME_LENGTH);
    const columns = { ...readMetadata(metadata, false), id, name };
    return { columns, lifetimeMs: readLifetimeSeconds(headers.get("cache-control") ?? "") * 1000 };
  } catch (error) {
    throw error instanceof AppError ? documentError(error.message) : error;
  }
}

export function documentError(reason: string): AppError {
  return authError("validation_failed", `the document is not valid: ${reason}`);
}

/** How long the document is used without being read again. */
export function readLifetimeSeconds(cacheControl: string): number {
  if (/(?:^|[\s,])no-(?:store|cache)(?=$|[\s,=])/i.test(cacheControl)) return MIN_LIFETIME_SECONDS;
  const [, seconds] = /(?:^|[\s,])max-age="?(\d{1,10})/i.exec(cacheControl) ?? [];
  if (seconds === undefined) return DEFAULT_LIFETIME_SECONDS;
  return Math.min(Math.max(Number(seconds), MIN_LIFETIME_SECONDS), MAX_LIFETIME_SECONDS);
}
