import { readFileSync } from "node:fs";
import { type ExtensionRoute, isRecord, SettingsError } from "swarmbase/extension";
import { isForwardable } from "./header-rules.ts";

/** One function: a name under `/functions/v1/` and the URL that its calls are forwarded to. */
export interface FunctionTarget {
  readonly name: string;
  readonly url: URL;
  readonly methods: readonly ExtensionRoute["method"][];
  readonly access: (typeof ACCESS)[number];
  /** The longest wait for the headers of the response, and then for each further piece of it. */
  readonly timeoutMs: number;
  /** Whether the caller's own `Authorization` is forwarded. */
  readonly isTokenForwarded: boolean;
  /** Headers of the caller that are forwarded in addition to the usual ones; in lower case. */
  readonly forwardedHeaders: readonly string[];
}

const NAME = /^[a-z0-9][a-z0-9_-]{0,62}$/;
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
const ACCESS = ["public", "bearer", "account", "user", "service"] as const;
const DEFAULT_TIMEOUT_MS = 30_000;
const MAX_TIMEOUT_MS = 300_000;
const MEMBERS = new Set(["url", "methods", "access", "timeout_ms", "forward_token", "forward_headers"]);

type Fields = Readonly<Record<string, unknown>>;

/** Reads and checks the file. Throws one `SettingsError` with all faults. */
export function readFunctionsFile(path: string, secret: string | null): readonly FunctionTarget[] {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new SettingsError([`FUNCTIONS_FILE: ${path}: ${error instanceof Error ? error.message : String(error)}`]);
  }
  if (!isRecord(value)) throw new SettingsError([`FUNCTIONS_FILE: ${path}: must be a JSON object of names and URLs`]);
  const faults: string[] = [];
  const targets = Object.entries(value).map(([name, entry]) => {
    const report = (fault: string): void => void faults.push(`FUNCTIONS_FILE: ${path}: ${name}${fault}`);
    if (!NAME.test(name))
      report(" must have lower-case letters, digits, hyphens and underscores, and at most 63 of them");
    return readTarget(name, entry, report);
  });
  if (targets.length > 0 && secret === null)
    faults.push("FUNCTIONS_FILE needs FUNCTIONS_SECRET, which signs the calls");
  if (faults.length > 0) throw new SettingsError(faults);
  return targets.filter((target) => target !== null);
}

/** An entry is the URL alone, or an object with more. */
function readTarget(name: string, entry: unknown, report: (fault: string) => void): FunctionTarget | null {
  const fields: unknown = typeof entry === "string" ? { url: entry } : entry;
  if (!isRecord(fields)) {
    report(" must be a URL or an object");
    return null;
  }
  for (const member of Object.keys(fields)) {
    if (!MEMBERS.has(member)) report(`.${member} is unknown; known are ${[...MEMBERS].join(", ")}`);
  }
  const url = readUrl(fields, report);
  const target = {
    name,
    methods: readMethods(fields, report),
    access: readChoice(fields, report),
    timeoutMs: readTimeout(fields, report),
    isTokenForwarded: readFlag(fields, report),
    forwardedHeaders: readHeaders(fields, report),
  };
  return url === null ? null : { ...target, url };
}

function readUrl({ url }: Fields, report: (fault: string) => void): URL | null {
  const parsed = typeof url === "string" ? URL.parse(url) : null;
  if (parsed === null || !["http:", "https:"].includes(parsed.protocol)) report(".url must be an http or https URL");
  else if (parsed.username !== "" || parsed.password !== "") report(".url must have no user name or password");
  else if (parsed.hash !== "") report(".url must have no fragment");
  return parsed;
}

function readMethods({ methods = ["POST"] }: Fields, report: (fault: string) => void): FunctionTarget["methods"] {
  const items: readonly unknown[] = Array.isArray(methods) ? methods : [];
  const known = METHODS.filter((method) => items.includes(method));
  if (known.length === 0 || known.length !== items.length)
    report(`.methods must list some of ${METHODS.join(", ")}, each once`);
  return known;
}

function readChoice({ access = "account" }: Fields, report: (fault: string) => void): FunctionTarget["access"] {
  const choice = ACCESS.find((known) => known === access);
  if (choice === undefined) report(`.access must be one of ${ACCESS.join(", ")}`);
  return choice ?? "account";
}

function readTimeout({ timeout_ms: value = DEFAULT_TIMEOUT_MS }: Fields, report: (fault: string) => void): number {
  if (Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_TIMEOUT_MS) return Number(value);
  report(`.timeout_ms must be a whole number from 1 to ${MAX_TIMEOUT_MS}`);
  return DEFAULT_TIMEOUT_MS;
}

function readFlag({ forward_token: value = false }: Fields, report: (fault: string) => void): boolean {
  if (typeof value !== "boolean") report(".forward_token must be true or false");
  return value === true;
}

function readHeaders({ forward_headers: value = [] }: Fields, report: (fault: string) => void): readonly string[] {
  const names: readonly unknown[] = Array.isArray(value) ? value : [null];
  const known = names.flatMap((name) => (typeof name === "string" && isForwardable(name) ? [name.toLowerCase()] : []));
  if (known.length !== names.length)
    report(
      ".forward_headers must list names of headers that may be forwarded; credentials and hop-by-hop headers may not",
    );
  return known;
}
