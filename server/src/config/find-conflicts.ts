import { findAttributesFault } from "./database-hosts.ts";
import { HOOK_RULES } from "./hook-settings.ts";
import { isPageOf, isRelyingPartyId } from "./relying-party.ts";
import type { SettingName } from "./settings-table.ts";

/** The settings in the environment, valid or not. */
export type GivenSettings = Readonly<Partial<Record<SettingName, string>>>;

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

export function findConflicts(given: GivenSettings): readonly string[] {
  return RULES.map((rule) => rule(given)).filter((fault) => fault !== null);
}

function needsDatabaseUrl(name: SettingName, value: string | undefined, databaseUrl: string | undefined) {
  return value !== undefined && databaseUrl === undefined ? `${name} is set without DATABASE_URL` : null;
}

function needsWrites(name: SettingName, value: string | undefined): string | null {
  const fault = value === undefined ? null : findAttributesFault(value);
  return fault === null ? null : `${name}: ${fault}`;
}
