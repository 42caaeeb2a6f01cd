import { restError } from "../rest-error.ts";
import { parseBody } from "./parse-body.ts";
import { reread } from "./decode-text.ts";
import { parseAccept } from "./media-type.ts";
import type { Method, ParsedQuery, ParsedRequest } from "./parsed-request.ts";
import { parsePreferences } from "./parse-preferences.ts";
import { parseQuery } from "./parse-query.ts";
import { parseMethod, parsePath } from "./route.ts";
import { intersectWindows, parseRange, type RowWindow } from "./row-window.ts";

export interface RequestInput {
  readonly method: string;
  /** After the prefix of the tables, still percent-encoded. */
  readonly path: string;
  /** With or without the question mark, still percent-encoded. */
  readonly search: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Buffer | null;
  readonly contentType: string | null;
}

export interface ParseOptions {
  /** The exposed schemas, the usual one first. */
  readonly schemas: readonly string[];
}

const EMPTY_BODY = Buffer.alloc(0);

/** Parses an HTTP request. Pure; throws only `AppError`. */
export function parseRequest(input: RequestInput, { schemas }: ParseOptions): ParsedRequest {
  const header = (name: string) => joinHeader(input.headers[name]);
  const target = parsePath(input.path);
  const method = parseMethod(input.method, target);
  const isRead = method === "GET" || method === "HEAD";
  const profile = parseProfile(header(isRead || method === "OPTIONS" ? "accept-profile" : "content-profile"), schemas);
  const preferences = parsePreferences(header("prefer"));
  // The root and OPTIONS have no query.
  const search = target.kind !== "root" && method !== "OPTIONS" ? input.search : "";
  const sent = parseQuery(search, target.kind === "rpc" && isRead);
  rejectWindowOnPut(method, sent);
  const range = method === "GET" ? parseWindow(sent, header("range")) : null;
  const query = range === null ? sent : { ...sent, root: { ...sent.root, ...range } };
  const bytes = input.body ?? EMPTY_BODY;
  const body = parseBody({ target, method, bytes, contentType: input.contentType, columns: query.columns });
  return { target, method, ...profile, query, preferences, range, accept: parseAccept(header("accept")), body };
}

function parseProfile(header: string | undefined, schemas: readonly string[]) {
  const [usual = ""] = schemas;
  if (header === undefined) return { schema: usual, isProfileGiven: false };
  const schema = reread(header).trim();
  if (schemas.includes(schema)) return { schema, isProfileGiven: true };
  throw restError("PGRST106", `Invalid schema: ${schema}`, {
    hint: `Only the following schemas are exposed: ${schemas.join(", ")}`,
  });
}

function parseWindow({ root }: ParsedQuery, header: string | undefined): RowWindow | null {
  const range = parseRange(header);
  return range === null ? null : intersectWindows(range, { offset: root.offset ?? 0, limit: root.limit });
}

function rejectWindowOnPut(method: Method, { root }: ParsedQuery): void {
  if (method === "PUT" && (root.limit !== null || root.offset !== null)) {
    throw restError("PGRST114", "limit/offset querystring parameters are not allowed for PUT");
  }
}

/** A repeated header is the list of its values. */
function joinHeader(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === "object" ? value.join(",") : value;
}
