import { isRecord } from "../../json/index.ts";
import { restError } from "../rest-error.ts";

export type AnswerHeaders = Record<string, string | string[]>;

const STATUS = /^[2-5][0-9]{2}$/;
const NAME = /^[\w!#$%&'*+.^`|~-]+$/;
/** No control characters except the tab. */
const VALUE = /^[\t\x20-\x7e\x80-\uffff]*$/;

/** Hop-by-hop headers and headers of the service, in lower case, which the database cannot set. */
export const RESERVED_HEADERS: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "date",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "x-request-id",
]);

/** Whether name and value are valid and cannot inject another header. */
export function isHeader(name: string, value: string): boolean {
  return NAME.test(name) && VALUE.test(value);
}

/** The value of the setting `response.status`; null when it is not set. */
export function readStatusSetting(setting: string | null): number | null {
  if (setting === null) return null;
  if (!STATUS.test(setting)) throw restError("PGRST112", "response.status guc must be a valid status code");
  return Number(setting);
}

/** The setting `response.headers` replaces headers of the same names; headers that it repeats are all sent. */
export function applyHeadersSetting(headers: AnswerHeaders, setting: string | null): AnswerHeaders {
  if (setting === null) return headers;
  const own = new Map<string, string | string[]>();
  for (const [name, value] of parsePairs(setting)) {
    if (RESERVED_HEADERS.has(name)) continue;
    const before = own.get(name);
    own.set(name, before === undefined ? value : [before, value].flat());
  }
  return { ...headers, ...Object.fromEntries(own) };
}

function parsePairs(setting: string): (readonly [name: string, value: string])[] {
  const list = parseJson(setting);
  if (!Array.isArray(list)) throw headersError();
  return list.map((item: unknown) => {
    const entries = isRecord(item) ? Object.entries(item) : [];
    const [name, value]: readonly unknown[] = entries.length === 1 ? (entries[0] ?? []) : [];
    if (typeof name !== "string" || typeof value !== "string" || !isHeader(name, value)) throw headersError();
    // Node writes header values as Latin-1.
    return [name.toLowerCase(), Buffer.from(value, "utf8").toString("latin1")];
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw headersError();
  }
}

function headersError() {
  return restError(
    "PGRST111",
    "response.headers guc must be a JSON array composed of objects with a single key and a string value",
  );
}
