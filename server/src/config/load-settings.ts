import { inspect } from "node:util";
import { findAttributesFault } from "./database-hosts.ts";
import { HOOK_RULES } from "./hook-settings.ts";
import { parseSetting } from "./parse-setting.ts";
import { isPageOf, isRelyingPartyId } from "./relying-party.ts";
import type { NamedSettingRow } from "./setting-row.ts";
import { SettingsError } from "./settings-error.ts";
import { type SettingName, SETTINGS } from "./settings-table.ts";
import { type ExtensionSettings, settingKey, type Settings } from "./settings.ts";

/** Rules about more than one setting; each returns a fault or null. */
const RULES: readonly ((given: GivenSettings) => string | null)[] = [
  ({ TLS_CERT_FILE, TLS_KEY_FILE }) =>
    (TLS_CERT_FILE === undefined) === (TLS_KEY_FILE === undefined)
      ? null
      : `${TLS_CERT_FILE === undefined ? "TLS_CERT_FILE" : "TLS_KEY_FILE"} is missing: TLS_CERT_FILE and TLS_KEY_FILE require each other`,
  ({ TLS_MODE, TRUSTED_PROXIES }) =>
    TLS_MODE === "proxy" && TRUSTED_PROXIES === undefined
      ? "TRUSTED_PROXIES is required when TLS_MODE is proxy: without it no forwarded header can be trusted"
      : null,
  ({ DATABASE_URL, MASTER_KEY }) =>
    DATABASE_URL !== undefined && MASTER_KEY === undefined
      ? "MASTER_KEY is required with DATABASE_URL: every node needs the same one to read the keys in the database"
      : null,
  ({ DATABASE_URL, DATABASE_DIRECT_URL }) => needsDatabaseUrl("DATABASE_DIRECT_URL", DATABASE_DIRECT_URL, DATABASE_URL),
  ({ DATABASE_URL, DATABASE_ADMIN_URL }) => needsDatabaseUrl("DATABASE_ADMIN_URL", DATABASE_ADMIN_URL, DATABASE_URL),
  ({ DATABASE_URL }) => needsWrites("DATABASE_URL", DATABASE_URL),
  ({ DATABASE_DIRECT_URL }) => needsWrites("DATABASE_DIRECT_URL", DATABASE_DIRECT_URL),
  ({ DATABASE_ADMIN_URL }) => needsWrites("DATABASE_ADMIN_URL", DATABASE_ADMIN_URL),
  ({ ANON_KEY, SERVICE_ROLE_KEY }) =>
    ANON_KEY !== undefined && ANON_KEY === SERVICE_ROLE_KEY
      ? "ANON_KEY and SERVICE_ROLE_KEY must differ: the first is public, the second bypasses row-level security"
      : null,
  findUnknownRole,
  findRelyingPartyFault,
  ...HOOK_RULES,
  ({ DB_SCHEMAS }) => {
    const served = splitNames(DB_SCHEMAS).find((name) => SYSTEM_SCHEMAS.has(name));
    return served === undefined ? null : `DB_SCHEMAS cannot contain ${served}, which describes the whole database`;
  },
];

const SYSTEM_SCHEMAS: ReadonlySet<string> = new Set(["pg_catalog", "information_schema"]);

const ROLE_NAMES = ["api", "worker", "realtime"];

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

/** The settings in the environment, valid or not. */
type GivenSettings = Readonly<Partial<Record<SettingName, string>>>;

function findUnknownRole({ ROLES }: GivenSettings): string | null {
  return splitNames(ROLES).every((role) => role === "" || ROLE_NAMES.includes(role))
    ? null
    : `ROLES accepts only the names ${ROLE_NAMES.join(", ")}`;
}

/** A passkey that no page can use would be found out only when people sign in. */
function findRelyingPartyFault(given: GivenSettings): string | null {
  const { AUTH_PASSKEYS_RP_ID: name, AUTH_PASSKEYS_ORIGINS: origins, SITE_URL, PUBLIC_URL } = given;
  if (name === undefined)
    return origins === undefined ? null : "AUTH_PASSKEYS_ORIGINS is set without AUTH_PASSKEYS_RP_ID";
  const id = name.toLowerCase();
  const pages = [SITE_URL, PUBLIC_URL].filter((address) => address !== undefined);
  if (!isRelyingPartyId(id)) return "AUTH_PASSKEYS_RP_ID must be a domain such as example.com, or localhost";
  if (origins !== undefined && !splitNames(origins).every((origin) => isPageOf(id, origin))) {
    return "AUTH_PASSKEYS_ORIGINS accepts only https:// origins of the domain AUTH_PASSKEYS_RP_ID and below it, and http:// origins of localhost";
  }
  if (origins === undefined && pages.length > 0 && !pages.some((address) => isPageOf(id, address))) {
    return "AUTH_PASSKEYS_RP_ID must be the domain of SITE_URL or PUBLIC_URL, or one above it, unless AUTH_PASSKEYS_ORIGINS is set";
  }
  return null;
}

function splitNames(text = ""): string[] {
  return text.split(",").map((name) => name.trim());
}

function findConflicts(given: GivenSettings): readonly string[] {
  return RULES.map((rule) => rule(given)).filter((fault) => fault !== null);
}

function needsDatabaseUrl(name: SettingName, value: string | undefined, databaseUrl: string | undefined) {
  return value !== undefined && databaseUrl === undefined ? `${name} is set without DATABASE_URL` : null;
}

function needsWrites(name: SettingName, value: string | undefined): string | null {
  const fault = value === undefined ? null : findAttributesFault(value);
  return fault === null ? null : `${name}: ${fault}`;
}
