import type { NamedSettingRow, SettingRow } from "./setting-row.ts";
import type { SettingGroup, SettingName } from "./settings-table.ts";

type RowOf<Name extends string> = Extract<SettingGroup, Record<Name, SettingRow>>[Name];

type UpperWords<Name extends string> = Name extends `${infer Word}_${infer Rest}`
  ? `${Capitalize<Lowercase<Word>>}${UpperWords<Rest>}`
  : Capitalize<Lowercase<Name>>;

/** `DB_POOL_SIZE` → `dbPoolSize` */
type SettingKey<Name extends string> = Uncapitalize<UpperWords<Name>>;

type GivenValue<R extends SettingRow> = R extends { kind: "integer" }
  ? number
  : R extends { kind: "choice"; choices: readonly string[] }
    ? R["choices"][number]
    : R extends { kind: "boolean" }
      ? boolean
      : R extends { kind: "addresses" | "origins" | "url-patterns" | "names" | "extensions" }
        ? readonly string[]
        : R extends { kind: "seconds-list" | "ports" }
          ? readonly number[]
          : string;

type ValueOrNull<R extends SettingRow> = R["default"] extends null ? GivenValue<R> | null : GivenValue<R>;

/** Derived from the table, so that a setting cannot exist in one place only. */
export type Settings = { readonly [Name in SettingName as SettingKey<Name>]: ValueOrNull<RowOf<Name>> };

/** The settings of an extension, by the name of the environment variable. */
export type ExtensionSettings<Rows extends readonly NamedSettingRow[]> = {
  readonly [R in Rows[number] as R["name"]]: ValueOrNull<R>;
};

export function settingKey<Name extends string>(name: Name): SettingKey<Name> {
  const [first = "", ...rest] = name.toLowerCase().split("_");
  const key = first + rest.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
  return key as SettingKey<Name>;
}
