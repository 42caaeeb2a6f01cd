import { inspect } from "node:util";
import { findConflicts, type GivenSettings } from "./find-conflicts.ts";
import { parseSetting } from "./parse-setting.ts";
import type { SettingRow } from "./setting-row.ts";
import { type SettingName, type Settings, settingKey } from "./settings.ts";
import { SettingsError } from "./settings-error.ts";
import { SETTINGS } from "./settings-table.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Resolves relative paths against `workingDir`. Throws one `SettingsError` that lists every fault. */
export function loadSettings(env: Environment, workingDir: string = process.cwd()): Settings {
  const given = pickGiven(env);
  const faults: string[] = [];
  const values: Record<string, unknown> = {};
  for (const row of SETTINGS as readonly (SettingRow & { readonly name: SettingName })[]) {
    const text = given[row.name] ?? given[row.fallback as SettingName] ?? defaultText(row);
    if (text === null) {
      values[settingKey(row.name)] = Object.freeze(row.default);
      continue;
    }
    const parsed = parseSetting(row, text, workingDir);
    if ("value" in parsed) values[settingKey(row.name)] = parsed.value;
    else if (given[row.name] !== undefined) faults.push(parsed.fault);
  }
  faults.push(...findConflicts(given));
  if (faults.length > 0) throw new SettingsError(faults);
  // The loop has set every row of the table that the type derives from.
  return hideSecrets(values) as Settings;
}

/** An empty string counts as unset: shells and compose files leave such variables behind. */
function pickGiven(env: Environment): GivenSettings {
  const given: Partial<Record<SettingName, string>> = {};
  for (const { name } of SETTINGS) {
    const text = Object.hasOwn(env, name) ? env[name] : undefined;
    if (text !== undefined && text !== "") given[name] = text;
  }
  return given;
}

/** Only the default of a path is parsed, to make it absolute; every other default is a value already. */
function defaultText(row: SettingRow): string | null {
  return row.kind === "path" ? row.default : null;
}

/** Logging or printing the settings shows that a secret is set, not its value. */
function hideSecrets(values: Record<string, unknown>): object {
  const secretKeys = new Set<string>(SETTINGS.filter((row) => row.secret).map((row) => settingKey(row.name)));
  const shown = Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, secretKeys.has(key) && value !== null ? "(secret)" : value]),
  );
  Object.defineProperty(values, "toJSON", { value: () => shown });
  Object.defineProperty(values, inspect.custom, { value: () => shown });
  return Object.freeze(values);
}
