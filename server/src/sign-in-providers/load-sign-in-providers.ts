import { createPrivateKey } from "node:crypto";
import { readFileSync } from "node:fs";
import * as z from "zod";
import { type Environment, type Settings, SettingsError } from "../config/index.ts";
import { isRecord } from "../json/index.ts";
import { type ClientSecret, type Preset, presetOf, type SignInProvider } from "./presets.ts";

const text = z.string().regex(/^[\x21-\x7e]{1,2048}$/, "must be 1 to 2048 visible ASCII characters");
const scope = z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/, "must be a scope");

const entrySchema = z.strictObject({
  client_id: text.optional(),
  client_secret: text.optional(),
  issuer: z.string().refine(isIssuer, "must be an https:// address without user name, query or fragment").optional(),
  label: z.string().trim().min(1).max(60).optional(),
  scopes: z.array(scope).max(50).optional(),
  audiences: z.array(text).max(20).optional(),
  team_id: text.optional(),
  key_id: text.optional(),
  private_key: z.string().refine(isPrivateKey, "must be the EC key of a .p8 file, in PEM").optional(),
});
type Entry = z.output<typeof entrySchema>;

/** By the end of the variable. */
const VARIABLES = {
  CLIENT_ID: "client_id",
  CLIENT_SECRET: "client_secret",
  ISSUER: "issuer",
  TEAM_ID: "team_id",
  KEY_ID: "key_id",
  PRIVATE_KEY: "private_key",
} as const satisfies Record<string, keyof Entry>;
const VARIABLE = /^AUTH_([A-Z][A-Z0-9_]*?)_(CLIENT_ID|CLIENT_SECRET|ISSUER|TEAM_ID|KEY_ID|PRIVATE_KEY)$/;

const NAME = /^[a-z][a-z0-9_:-]{0,49}$/;
const NAME_RULE = "the name must begin with a letter, have at most 50 of a-z 0-9 _ : - and not be reserved";
/** Ways to sign in that are no providers, in `external` of the settings that clients read. */
const RESERVED: ReadonlySet<string> = new Set(["email", "phone", "anonymous_users", "anonymous", "web3", "sso"]);

/**
 * In the order of the file, then by the name of the variables, which complete the file. Throws a SettingsError that lists every
 * fault; none contains a value.
 */
export function loadSignInProviders(settings: Settings, environment: Environment): readonly SignInProvider[] {
  const faults: string[] = [];
  const given = new Map<string, Record<string, unknown>>();
  for (const [name, entry] of Object.entries(readFile(settings.authProvidersFile, faults))) {
    if (isRecord(entry)) given.set(name, { ...entry });
    else faults.push(`AUTH_PROVIDERS_FILE: ${name} must be an object`);
  }
  for (const [variable, value = ""] of Object.entries(environment).sort(([one], [other]) => (one < other ? -1 : 1))) {
    const [, name, end] = VARIABLE.exec(variable) ?? [];
    if (name === undefined || value === "") continue;
    const entry = given.get(name.toLowerCase()) ?? {};
    // Many ways to set a variable keep no line breaks.
    entry[VARIABLES[end as keyof typeof VARIABLES]] = end === "PRIVATE_KEY" ? value.replaceAll("\\n", "\n") : value;
    given.set(name.toLowerCase(), entry);
  }
  const providers = [...given].map(([name, entry]) => readProvider(name, entry, faults));
  if (faults.length > 0) throw new SettingsError(faults);
  return providers.filter((provider) => provider !== null);
}

function readFile(path: string | null, faults: string[]): Readonly<Record<string, unknown>> {
  if (path === null) return {};
  try {
    const json: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (isRecord(json)) return json;
    faults.push("AUTH_PROVIDERS_FILE must contain a JSON object");
  } catch (error) {
    const fault = error instanceof SyntaxError ? "is not JSON" : "cannot be read";
    faults.push(`AUTH_PROVIDERS_FILE names a file that ${fault}`);
  }
  return {};
}

function readProvider(name: string, given: object, faults: string[]): SignInProvider | null {
  const at = `Sign-in provider ${name}`;
  if (!NAME.test(name) || RESERVED.has(name)) {
    faults.push(`${at.slice(0, 80)}: ${NAME_RULE}`);
    return null;
  }
  const parsed = entrySchema.safeParse(given);
  if (!parsed.success) {
    for (const { path, message, code } of parsed.error.issues)
      faults.push(`${at}: ${[...path, code === "unrecognized_keys" ? "has unknown members" : message].join(" ")}`);
    return null;
  }
  const preset = presetOf(name);
  const entry = { ...parsed.data, issuer: parsed.data.issuer ?? preset.issuer ?? undefined };
  const missing = requiredOf(preset).filter((member) => entry[member] === undefined);
  const prefix = `AUTH_${name.toUpperCase().replace(/[^A-Z0-9]/g, "_")}`;
  for (const member of missing) faults.push(`${at}: ${member} is missing (${prefix}_${member.toUpperCase()})`);
  const { client_id: clientId, issuer } = entry;
  if (clientId === undefined || issuer === undefined || missing.length > 0) return null;
  return {
    name,
    label: entry.label ?? (preset.label === "" ? name : preset.label),
    preset,
    // Other issuers can end with a slash, by which OpenID tells them from those without.
    issuer: preset.issuer === null ? issuer : issuer.replace(/\/+$/, ""),
    clientId,
    audiences: [clientId, ...(entry.audiences ?? [])],
    scopes: entry.scopes ?? preset.scopes,
    secret: secretOf(preset, entry),
  };
}

function requiredOf({ kind, secret }: Preset): readonly (keyof Entry)[] {
  const own = secret === "apple" ? (["team_id", "key_id", "private_key"] as const) : [];
  return ["client_id", "issuer", ...(kind === "github" ? (["client_secret"] as const) : own)];
}

function secretOf({ secret }: Preset, entry: Entry): ClientSecret {
  const { client_secret: text, team_id: teamId = "", key_id: keyId = "", private_key: privateKey = "" } = entry;
  if (secret === "apple") return { kind: "apple", teamId, keyId, privateKey };
  return text === undefined ? { kind: "none" } : { kind: "shared", text };
}

function isIssuer(issuer: string): boolean {
  const url = /[\s?#\\]/.test(issuer) ? null : URL.parse(issuer);
  return url !== null && url.protocol === "https:" && url.username === "" && url.password === "";
}

function isPrivateKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyDetails?.namedCurve === "prime256v1";
  } catch {
    return false;
  }
}
