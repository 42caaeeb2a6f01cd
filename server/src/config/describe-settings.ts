import { type Environment, pickGiven } from "./load-settings.ts";
import { maskUrls } from "./mask-urls.ts";
import { describeAccepted, type SettingValue } from "./parse-setting.ts";
import type { ExtensionRows, NamedSettingRow, SettingRow, StandardVariable } from "./setting-row.ts";
import { type Settings, settingKey } from "./settings.ts";
import { SETTING_GROUPS, type SettingName } from "./settings-table.ts";

/** A setting as it applies now. Can be shown to a person who must not learn the secrets. */
export interface SettingInForce {
  readonly name: string;
  /** The section of the reference; for an extension, its name. */
  readonly group: string;
  readonly is_of_extension: boolean;
  readonly description: string;
  /** What a value must be. */
  readonly accepts: string;
  readonly is_secret: boolean;
  /** Whether the environment has a value; otherwise the default applies. */
  readonly is_set: boolean;
  /** As text, credentials in URLs masked. Null for a secret, and when there is no value. */
  readonly value: string | null;
  /** The setting whose value applies when this one is not set. */
  readonly fallback: string | null;
}

/** The settings of an extension with their values, by the name of the variable. */
interface ExtensionValues extends ExtensionRows {
  readonly values: Readonly<Record<string, SettingValue | null>>;
}

export function describeSettings(
  settings: Settings,
  env: Environment,
  extensions: readonly ExtensionValues[],
): readonly SettingInForce[] {
  const own = Object.entries(SETTING_GROUPS).flatMap(([group, rows]: readonly [string, Record<string, SettingRow>]) =>
    Object.entries(rows).map(([name, row]) => {
      const value = settings[settingKey(name as SettingName)];
      return describeRow({ ...row, name }, { group, isOfExtension: false, env, value });
    }),
  );
  const further = extensions.flatMap(({ name: group, settings: rows = [], standardVariables = [], values }) => [
    ...rows.map((row) => describeRow(row, { group, isOfExtension: true, env, value: values[row.name] ?? null })),
    ...standardVariables.map((variable) => describeVariable(variable, group, env)),
  ]);
  return [...own, ...further];
}

interface RowState {
  readonly group: string;
  readonly isOfExtension: boolean;
  readonly env: Environment;
  readonly value: SettingValue | null;
}

function describeRow(row: NamedSettingRow, { group, isOfExtension, env, value }: RowState): SettingInForce {
  const isSecret = row.secret === true;
  return {
    name: row.name,
    group,
    is_of_extension: isOfExtension,
    description: row.description,
    accepts: describeAccepted(row),
    is_secret: isSecret,
    is_set: pickGiven([row], env)[row.name] !== undefined,
    value: isSecret ? null : showValue(value),
    fallback: row.fallback ?? null,
  };
}

function describeVariable(variable: StandardVariable, group: string, env: Environment): SettingInForce {
  const { name, accepts, default: standard, description, secret: isSecret = false } = variable;
  const text = env[name] ?? "";
  const value = text === "" ? (standard?.replaceAll("`", "") ?? null) : maskUrls(text);
  return {
    name,
    group,
    is_of_extension: true,
    description,
    accepts: accepts.replaceAll("`", ""),
    is_secret: isSecret,
    is_set: text !== "",
    value: isSecret ? null : value,
    fallback: null,
  };
}

function showValue(value: SettingValue | null): string | null {
  if (value === null) return null;
  return typeof value === "object" ? value.map((item) => maskUrls(String(item))).join(", ") : maskUrls(String(value));
}
