import { readFile } from "node:fs/promises";
import { type ExtensionCommandContext, parseOptions, UsageError } from "swarmbase/extension";
import type { Access } from "../service/connect.ts";

const OPTIONS = {
  dir: { type: "string" },
  url: { type: "string" },
  "anon-key": { type: "string" },
  email: { type: "string" },
  owner: { type: "string" },
  ca: { type: "string" },
  yes: { type: "boolean" },
  delete: { type: "boolean" },
  "write-secrets": { type: "boolean" },
  "detailed-exitcode": { type: "boolean" },
  agent: { type: "string" },
  version: { type: "string" },
  judge: { type: "string" },
  baseline: { type: "string" },
  concurrency: { type: "string" },
  strict: { type: "boolean" },
  store: { type: "boolean" },
  json: { type: "boolean" },
} as const;

type OptionName = keyof typeof OPTIONS;
export type Values = ReturnType<typeof parseOptions<typeof OPTIONS>>["values"];

const CONNECTION: readonly OptionName[] = ["url", "anon-key", "email", "owner", "ca"];
const COMMON: readonly OptionName[] = [...CONNECTION, "dir", "delete"];
const DEFAULT_FOLDER = "swarmbase";

export type Context = Pick<
  ExtensionCommandContext,
  "args" | "env" | "stdin" | "stdout" | "stderr" | "signal" | "findCredentials" | "openFetch" | "now"
>;

/** The options of a command: those of all three, and its own. */
export function readOptions(context: Context, own: readonly OptionName[]): Values & { readonly folder: string } {
  const { values } = parseOptions(context.args, pick([...COMMON, ...own]));
  return { ...values, folder: values.dir ?? DEFAULT_FOLDER };
}

interface EvalOptions {
  readonly values: Values;
  /** A file, or the name or id of a dataset. */
  readonly dataset: string;
}

export function readEvalOptions(context: Context): EvalOptions {
  const own = ["agent", "version", "judge", "baseline", "concurrency", "strict", "store", "json"] as const;
  const { values, positionals } = parseOptions(context.args, pick([...CONNECTION, ...own]), 1);
  const [dataset] = positionals;
  if (dataset === undefined) throw new UsageError("Name a dataset, or a file with cases.");
  return { values, dataset };
}

function pick(names: readonly OptionName[]): typeof OPTIONS {
  const picked = Object.entries(OPTIONS).filter(([name]) => names.some((each) => each === name));
  return Object.fromEntries(picked) as typeof OPTIONS;
}

interface Target {
  /** Without a slash at the end. */
  readonly url: string;
  readonly anonKey: string | null;
  readonly access: Access;
  readonly ca: readonly string[];
}

/** Which service, and as whom: options first, then the environment, then the service of this machine. */
export async function findTarget(context: Context, values: Values): Promise<Target> {
  const { env } = context;
  const given = (option: "url" | "anon-key" | "email" | "owner" | "ca", name: string): string | null =>
    values[option] ?? filled(env[name]);
  const local = await context.findCredentials();
  const named = given("url", "SWARMBASE_URL");
  const url = (named ?? local?.url)?.replace(/\/+$/, "");
  if (url === undefined)
    throw new UsageError("No service is named: set SWARMBASE_URL or --url, or start a service in this folder first.");
  if (URL.parse(url)?.protocol !== "https:") throw new UsageError(`The URL of the service must use https, not ${url}.`);
  const own = local !== null && URL.parse(local.url)?.origin === URL.parse(url)?.origin ? local : null;
  const caFile = given("ca", "SWARMBASE_CA_FILE") ?? own?.ca_cert_file ?? null;
  return {
    url,
    anonKey: given("anon-key", "SWARMBASE_ANON_KEY") ?? own?.anon_key ?? null,
    access: findAccess({
      token: filled(env["SWARMBASE_ACCESS_TOKEN"]),
      email: given("email", "SWARMBASE_EMAIL"),
      password: filled(env["SWARMBASE_PASSWORD"]),
      owner: given("owner", "SWARMBASE_OWNER"),
      serviceKey: filled(env["SWARMBASE_SERVICE_ROLE_KEY"]) ?? own?.service_role_key ?? null,
    }),
    ca: caFile === null ? [] : [await readFile(caFile, "utf8")],
  };
}

function findAccess(given: {
  readonly token: string | null;
  readonly email: string | null;
  readonly password: string | null;
  readonly owner: string | null;
  readonly serviceKey: string | null;
}): Access {
  const { token, email, password, owner, serviceKey } = given;
  const ways = [token, email, owner].filter((way) => way !== null);
  if (ways.length > 1)
    throw new UsageError(
      "Name one of: an access token, an e-mail address with a password, an owner for the service role.",
    );
  if (token !== null) return { as: "token", token };
  if (email !== null) {
    if (password === null) throw new UsageError(`SWARMBASE_PASSWORD is not set: the password of ${email}.`);
    return { as: "password", email, password };
  }
  if (serviceKey === null)
    throw new UsageError(
      "Nobody to sign in as: set SWARMBASE_EMAIL and SWARMBASE_PASSWORD, or SWARMBASE_ACCESS_TOKEN, or SWARMBASE_SERVICE_ROLE_KEY and SWARMBASE_OWNER.",
    );
  return { as: "service", key: serviceKey, owner };
}

function filled(text: string | undefined): string | null {
  return text === undefined || text === "" ? null : text;
}
