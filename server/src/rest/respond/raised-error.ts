import type pg from "pg";
import type { AppError } from "../../errors/index.ts";
import { isRecord } from "../../json/index.ts";
import { foreignError, restError } from "../rest-error.ts";
import { isHeader, RESERVED_HEADERS } from "./response-settings.ts";

const RAISED_STATUS = /^PT([2-5][0-9]{2})$/;
/** Statuses without a body, which cannot carry an error. */
const BODYLESS: ReadonlySet<number> = new Set([204, 205, 304]);

/** `raise sqlstate 'PT402'`: the database chose the status. */
export function readRaisedStatus(state: string): number {
  const status = Number(RAISED_STATUS.exec(state)?.[1] ?? 500);
  return BODYLESS.has(status) ? 500 : status;
}

/** `raise sqlstate 'PGRST'`: the database wrote the whole answer, as JSON in its message and its detail. */
export function translateRaisedAnswer(error: pg.DatabaseError): AppError {
  const { code, message, details = null, hint = null } = parseObject(error.message) ?? {};
  const areTexts = typeof code === "string" && typeof message === "string";
  if (!areTexts || !isTextOrNull(details) || !isTextOrNull(hint)) {
    return raisedError(error, `Invalid JSON value for MESSAGE: '${error.message}'`, MESSAGE_HINT);
  }
  if (error.detail === undefined) {
    return raisedError(error, "DETAIL is missing in the RAISE statement", DETAIL_HINT);
  }
  const answer = readDetail(error.detail);
  if (answer === null) return raisedError(error, `Invalid JSON value for DETAIL: '${error.detail}'`, DETAIL_HINT);
  const { status, headers } = answer;
  return foreignError({ code, status }, message, { details, hint, headers, cause: error });
}

const MESSAGE_HINT =
  "MESSAGE must be a JSON object with obligatory keys: 'code', 'message' and optional keys: 'details', 'hint'.";
const DETAIL_HINT =
  "DETAIL must be a JSON object with obligatory keys: 'status', 'headers' and optional key: 'status_text'.";

function raisedError(cause: Error, details: string, hint: string): AppError {
  return restError("PGRST121", `Could not parse JSON in the "RAISE SQLSTATE 'PGRST'" error`, { details, hint, cause });
}

function readDetail(text: string): { status: number; headers: Record<string, string> } | null {
  const { status, headers } = parseObject(text) ?? {};
  if (typeof status !== "number" || !Number.isInteger(status) || !isRecord(headers)) return null;
  const isSendable = status >= 200 && status <= 599 && !BODYLESS.has(status);
  const kept: [string, string][] = [];
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value !== "string" || !isHeader(name, value)) return null;
    const lower = name.toLowerCase();
    // The body is always JSON.
    if (!RESERVED_HEADERS.has(lower) && lower !== "content-type") kept.push([lower, value]);
  }
  return isSendable ? { status, headers: Object.fromEntries(kept) } : null;
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === "string";
}
