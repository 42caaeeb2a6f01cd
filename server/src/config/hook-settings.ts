import { isLoopbackUrl } from "@swarmbase/guarded-fetch";
import { setting } from "./setting-row.ts";

const rowsOf = (what: string) => ({
  URI: setting(
    { kind: "hook-uri", default: null },
    `Hook that ${what}: a function of the database or an HTTPS address ([hooks](../guides/hooks.md)).`,
  ),
  SECRET: setting(
    { kind: "hook-secrets", default: null, secret: true },
    "Signs the calls of this hook over HTTPS (Standard Webhooks). During a change of the secret: the new one, then the former one.",
  ),
  TIMEOUT_MS: setting(
    { kind: "integer", min: 50, max: 30_000, default: 5_000 },
    "How long a call of this hook may take.",
  ),
  ON_FAILURE: setting(
    { kind: "choice", choices: ["deny", "continue"], default: "deny" },
    "What happens while this hook fails or gives no valid answer: what asked for it is refused, or goes on without it.",
  ),
});

type Rows = ReturnType<typeof rowsOf>;
type RowsOfHook<Name extends string> = {
  readonly [Row in keyof Rows as `AUTH_HOOK_${Name}_${Row}`]: Rows[Row];
};

function hook<const Name extends string>(name: Name, what: string): RowsOfHook<Name> {
  const rows = Object.entries(rowsOf(what)).map(([row, value]) => [`AUTH_HOOK_${name}_${row}`, value]);
  return Object.fromEntries(rows) as RowsOfHook<Name>;
}

export const HOOK_SETTINGS = {
  ...hook("CUSTOM_ACCESS_TOKEN", "decides the claims of access tokens"),
  ...hook("BEFORE_USER_CREATED", "decides whether a new account may be created"),
  ...hook("PASSWORD_VERIFICATION_ATTEMPT", "learns of each attempt to sign in with a password, and can reject it"),
  ...hook("MFA_VERIFICATION_ATTEMPT", "learns of each attempt to verify a second factor, and can reject it"),
  ...hook("SEND_EMAIL", "sends the mails of the service instead of `SMTP_URL`"),
};

/** An identifier of PostgreSQL, as it is stored. */
const FUNCTION_URI = /^pg-functions:\/\/postgres\/([a-z_]\w{0,62})\/([a-z_]\w{0,62})$/i;

/** The schema and the name of the function; null for another address. */
export function parseFunctionUri(uri: string): readonly [schema: string, name: string] | null {
  const [, schema, name] = FUNCTION_URI.exec(uri) ?? [];
  return schema === undefined || name === undefined ? null : [schema, name];
}

export function isHookUri(text: string): boolean {
  if (parseFunctionUri(text) !== null) return true;
  const url = /^https?:\/\/[^/\\\s]\S*$/i.test(text) ? URL.parse(text) : null;
  if (url === null || url.username !== "" || url.password !== "" || url.hash !== "") return false;
  return url.protocol === "https:" || isLoopbackUrl(text);
}

/** As Supabase writes them. */
const SECRETS = /^v1,whsec_[A-Za-z0-9+/]{32,86}={0,2}(?:\|v1,whsec_[A-Za-z0-9+/]{32,86}={0,2})*$/;

export function areHookSecrets(text: string): boolean {
  return SECRETS.test(text);
}

type Given = Readonly<Record<string, string | undefined>>;

/** What the settings of the hooks lack together. */
export const HOOK_RULES = Object.keys(HOOK_SETTINGS)
  .filter((name) => name.endsWith("_URI"))
  .map((name) => (given: Given) => findHookFault(given, name.slice(0, -"_URI".length)));

function findHookFault(given: Given, hookName: string): string | null {
  const [uri, secret] = [given[`${hookName}_URI`], given[`${hookName}_SECRET`]];
  if (uri !== undefined && isHookUri(uri) && parseFunctionUri(uri) === null && secret === undefined)
    return `${hookName}_SECRET is required for the hook at ${hookName}_URI, which otherwise could not tell our calls from others`;
  const fallsBack = hookName === "AUTH_HOOK_SEND_EMAIL" && given[`${hookName}_ON_FAILURE`] === "continue";
  return fallsBack && given["SMTP_URL"] === undefined
    ? `${hookName}_ON_FAILURE=continue sends over SMTP_URL, which is missing`
    : null;
}
