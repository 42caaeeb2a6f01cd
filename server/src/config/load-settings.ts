import { inspect } from "node:util";
import { findConflicts, type GivenSettings } from "./find-conflicts.ts";
import { parseSetting } from "./parse-setting.ts";
import type { NamedSettingRow } from "./setting-row.ts";
import { type ExtensionSettings, type Settings, settingKey } from "./settings.ts";
import { SettingsError } from "./settings-error.ts";
import { SETTINGS } from "./settings-table.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Resolves relative paths against `workingDir`. Throws one `SettingsError` that lists every fault. */
export function loadSettings(env: Environment, workingDir: string = process.cwd()): Settings {
  const given: GivenSettings = pickGiven(SETTINGS, env);
  const { values, faults } = readRows(SETTINGS, given, workingDir);
  faults.push(...findConflicts(given));
  if (faults.length > 0) throw new SettingsError(faults);
  const named = new Map([...values].map(([name, value]) => [settingKey(name), value]));
  const secrets = new Set<string>(SETTINGS.filter((row) => row.secret).map((row) => settingKey(row.name)));
  // Every row of the table from which the type is derived has a value.
  return hideSecrets(named, secrets) as Settings;
}

/** The settings of one extension, and what is wrong with those that were given. */
export function readExtensionSettings<Rows extends readonly NamedSettingRow[]>(
  rows: Rows,
  env: Environment,
  workingDir: string = process.cwd(),
): { readonly settings: ExtensionSettings<Rows>; readonly faults: readonly string[] } {
  const { values, faults } = readRows(rows, pickGiven(rows, env), workingDir);
  const secrets = new Set(rows.filter((row) => row.secret).map(({ name }) => name));
  return { settings: hideSecrets(values, secrets) as ExtensionSettings<Rows>, faults };
}

function readRows(
  rows: readonly NamedSettingRow[],
  given: Readonly<Record<string, string | undefined>>,
  workingDir: string,
): { readonly values: Map<string, unknown>; readonly faults: string[] } {
  const faults: string[] = [];
  const values = new Map<string, unknown>();
  for (const row of rows) {
    const text = given[row.name] ?? given[row.fallback ?? row.name] ?? defaultText(row);
    if (text === null) {
      values.set(row.name, Object.freeze(row.default));
      continue;
    }
    const parsed = parseSetting(row, text, workingDir);
    if ("value" in parsed) values.set(row.name, parsed.value);
    else if (given[row.name] !== undefined) faults.push(parsed.fault);
  }
  return { values, faults };
}

/** An empty string counts as unset, because shells and compose files leave such variables; `EXTENSIONS=` names none. */
export function pickGiven<Row extends NamedSettingRow>(
  rows: readonly Row[],
  env: Environment,
): Readonly<Partial<Record<Row["name"], string>>> {
  const given: Partial<Record<string, string>> = {};
  for (const { name, kind } of rows) {
    const text = Object.hasOwn(env, name) ? env[name] : undefined;
    if (text !== undefined && (text !== "" || kind === "extensions")) given[name] = text;
  }
  return given as Readonly<Partial<Record<Row["name"], string>>>;
}

/** Only the default of a path is parsed, to make it absolute; every other default is a value already. */
function defaultText(row: NamedSettingRow): string | null {
  return row.kind === "path" ? row.default : null;
}

/** Logging or printing the settings shows that a secret is set, not its value. */
function hideSecrets(values: ReadonlyMap<string, unknown>, secrets: ReadonlySet<string>): object {
  const settings = Object.fromEntries(values);
  const shown = Object.fromEntries(
    [...values].map(([key, value]) => [key, secrets.has(key) && value !== null ? "(secret)" : value]),
  );
  Object.defineProperty(settings, "toJSON", { value: () => shown });
  Object.defineProperty(settings, inspect.custom, { value: () => shown });
  return Object.freeze(settings);
}
