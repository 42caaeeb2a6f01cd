import { isUuid } from "@swarmbase/sdk";
import { AppError, isRecord } from "swarmbase/extension";

/** Reads what callers send. Everything else is a 400 that names the field. */
export function invalidField(field: string, message: string): AppError {
  return new AppError("VALIDATION_ERROR", `${field} ${message}`, { details: { [field]: message } });
}

export function readBody(body: unknown, fields: readonly string[]): Readonly<Record<string, unknown>> {
  if (!isRecord(body)) throw new AppError("VALIDATION_ERROR", "The body must be a JSON object");
  const unknown = Object.keys(body).find((name) => !fields.includes(name));
  if (unknown !== undefined) throw invalidField(unknown, "is not a field of this call");
  return body;
}

const MAX_TEXT = 500;

/** Null when the parameter is absent or empty. */
export function readText(value: unknown, field: string): string | null {
  if (value === undefined || value === null || value === "") return null;
  requireText(value, field, "must be");
  return value;
}

/** PostgreSQL stores no U+0000, and no half of a surrogate pair in JSON. */
export function requireText(value: unknown, field: string, must: string): asserts value is string {
  if (typeof value !== "string" || value.length > MAX_TEXT || value.includes("\u0000") || !value.isWellFormed())
    throw invalidField(field, `${must} a text of at most ${MAX_TEXT} characters`);
}

export function readRequiredText(value: unknown, field: string): string {
  const text = readText(value, field);
  if (text === null) throw invalidField(field, "is required");
  return text;
}

export function readId(value: string | undefined, field: string): string {
  if (value === undefined || !isUuid(value)) throw invalidField(field, "must be a UUID");
  return value.toLowerCase();
}

export function readOptionalId(value: string | undefined, field: string): string | null {
  return value === undefined || value === "" ? null : readId(value, field);
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?:Z|[+-]\d\d:\d\d)$/;

/** A time since 1970. */
function readTime(value: string | undefined, field: string): Date | null {
  if (value === undefined || value === "") return null;
  const time = new Date(TIME.test(value) ? value : Number.NaN);
  if (!(time.getTime() >= 0)) throw invalidField(field, "must be a time since 1970 such as 2026-01-31T12:00:00Z");
  return time;
}

export interface TimeRange {
  readonly since: Date | null;
  /** Exclusive. */
  readonly until: Date | null;
}

export function readRange(query: Readonly<Record<string, string | undefined>>): TimeRange {
  return { since: readTime(query["since"], "since"), until: readTime(query["until"], "until") };
}

export function readChoice<Choice extends string>(
  value: string | undefined,
  field: string,
  choices: readonly Choice[],
): Choice | null {
  if (value === undefined || value === "") return null;
  const choice = choices.find((candidate) => candidate === value);
  if (choice === undefined) throw invalidField(field, `must be one of ${choices.join(", ")}`);
  return choice;
}

/** The position of a page. Callers get it from the page before, and can send anything. */
export function readCursor(value: string | undefined): unknown {
  if (value === undefined || value === "") return null;
  try {
    return JSON.parse(Buffer.from(value, "base64url").toString());
  } catch {
    throw invalidField("after", "is not the position of a page");
  }
}

export function writeCursor(position: unknown): string {
  return Buffer.from(JSON.stringify(position)).toString("base64url");
}
