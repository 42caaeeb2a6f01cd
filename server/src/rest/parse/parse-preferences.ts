import { restError } from "../rest-error.ts";
import type { Preferences } from "./parsed-request.ts";
import { parseTimeZone } from "./parse-time-zone.ts";

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
