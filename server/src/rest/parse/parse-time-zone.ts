import { restError } from "../rest-error.ts";

const OFFSET = /^[+-]?\d{1,2}(?::[0-5]\d){0,2}$/;
const MAX_LENGTH = 64;
/** Names of time zones that were found valid, in lower case: at most as many as there are zones. */
const knownNames = new Set<string>();

/**
 * Accepts the name of a time zone or an offset. PostgreSQL would also accept a POSIX rule with an abbreviation of any length, and
 * before 18.6, 17.11, 16.15 and 15.19 `to_char` writes a long one beyond its buffer (CVE-2026-14669).
 */
export function parseTimeZone(value: string): string {
  if (OFFSET.test(value) || (value.length <= MAX_LENGTH && isName(value))) return value;
  throw restError("PGRST129", "The time zone is not known", { details: "Give the name of a time zone, or an offset." });
}

function isName(value: string): boolean {
  const name = value.toLowerCase();
  if (knownNames.has(name)) return true;
  try {
    new Intl.DateTimeFormat("en", { timeZone: value });
  } catch {
    return false;
  }
  knownNames.add(name);
  return true;
}
