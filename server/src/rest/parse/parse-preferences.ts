import { restError } from "../rest-error.ts";
import type { Preferences } from "./parsed-request.ts";

const OFFSET = /^[+-]?\d{1,2}(?::[0-5]\d){0,2}$/;

const MAX_LENGTH = 64;

/** Names of time zones that were found valid, in lower case: at most as many as there are zones. */
const knownNames = new Set<string>();

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };
type ChoiceName = "return" | "count" | "resolution" | "missing" | "handling" | "tx";
type Choices = { readonly [Name in ChoiceName]: readonly NonNullable<Preferences[Name]>[] };

const CHOICES: Choices = {
  return: ["minimal", "headers-only", "representation"],
  count: ["exact", "planned", "estimated"],
  resolution: ["merge-duplicates", "ignore-duplicates"],
  missing: ["default", "null"],
  handling: ["strict", "lenient"],
  tx: ["commit", "rollback"],
};

/** The first of several values for a preference counts. Unknown preferences are rejected only with `handling=strict`. */
export function parsePreferences(header: string | undefined): Preferences {
  const unknown: string[] = [];
  const preferences: Mutable<Preferences> = {
    return: null,
    count: null,
    resolution: null,
    missing: null,
    handling: null,
    maxAffected: null,
    tx: null,
    timezone: null,
    unknown,
  };
  for (const part of header?.split(",") ?? []) {
    const preference = part.trim();
    if (preference !== "" && !addPreference(preferences, preference)) unknown.push(preference);
  }
  if (preferences.handling === "strict" && unknown.length > 0) {
    throw restError("PGRST122", "Invalid preferences given with handling=strict", {
      details: `Invalid preferences: ${unknown.join(", ")}`,
    });
  }
  return preferences;
}

function addPreference(preferences: Mutable<Preferences>, preference: string): boolean {
  const equals = preference.indexOf("=");
  if (equals === -1) return false;
  const name = preference.slice(0, equals);
  const value = preference.slice(equals + 1);
  switch (name) {
    case "timezone":
      preferences.timezone ??= parseTimeZone(value);
      return true;
    case "max-affected":
      // An unreadable bound would protect nothing, so it counts as an unknown preference.
      if (!/^[0-9]+$/.test(value)) return false;
      preferences.maxAffected ??= Math.min(Number(value), Number.MAX_SAFE_INTEGER);
      return true;
    default:
      return isChoiceName(name) && choose(preferences, name, value);
  }
}

function isChoiceName(name: string): name is ChoiceName {
  return Object.hasOwn(CHOICES, name);
}

function choose<Name extends ChoiceName>(preferences: Mutable<Preferences>, name: Name, value: string): boolean {
  const choice = CHOICES[name].find((known) => known === value);
  if (choice === undefined) return false;
  preferences[name] ??= choice;
  return true;
}

/**
 * Accepts the name of a time zone or an offset. PostgreSQL would also accept a POSIX rule with an abbreviation of any length, and
 * before 18.6, 17.11, 16.15 and 15.19 `to_char` writes a long one beyond its buffer (CVE-2026-14669).
 */
function parseTimeZone(value: string): string {
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
