import { isIP } from "node:net";
import { FRAMEWORKS } from "@swarmbase/sdk";
import { resolve } from "node:path";
import { parseDatabaseHosts } from "./database-hosts.ts";
import { areHookSecrets, isHookUri } from "./hook-settings.ts";
import type { NamedSettingRow, SettingRow } from "./setting-row.ts";

export type SettingValue = string | number | boolean | readonly string[] | readonly number[];

/** A fault never contains the value: a password pasted into the wrong variable must not appear in a log. */
type ParsedSetting = { readonly value: SettingValue } | { readonly fault: string };

export function parseSetting(row: NamedSettingRow, text: string, workingDir: string): ParsedSetting {
  if (text !== text.trim()) return { fault: `${row.name} must not begin or end with white space` };
  const value = parseValue(row, text, workingDir);
  return value === null ? { fault: `${row.name} must be ${describeAccepted(row)}` } : { value };
}

/** Describes what a setting accepts, after "must be", for faults and the reference page. */
export function describeAccepted(row: SettingRow): string {
  switch (row.kind) {
    case "integer":
      return `a whole number from ${row.min} to ${row.max}`;
    case "choice":
      return `one of ${row.choices.join(", ")}`;
    case "boolean":
      return "true or false";
    case "addresses":
      return "IP addresses or CIDR blocks, separated by commas";
    case "origins":
      return "origins such as `https://app.example.com` or `https://*.example.com`, separated by commas";
    case "url-patterns":
      return "addresses with a scheme, separated by commas; `*` stands for a part of a host or path, `**` for anything";
    case "names":
      return "names, separated by commas";
    case "extensions":
      return "names of extensions, package names or paths that begin with `./`, `../` or `/`, separated by commas";
    case "seconds-list":
      return `1 to ${MAX_SECONDS_ENTRIES} whole numbers of seconds up to ${MAX_SECONDS}, separated by commas`;
    case "ports":
      return `1 to ${MAX_PORTS} ports from 1 to 65535, separated by commas`;
    case "key":
      return row.minLength > 1
        ? `at least ${row.minLength} visible ASCII characters`
        : "visible ASCII characters without spaces";
    case "host":
      return "a host name or an IP address";
    case "path":
      return "a path";
    case "https-url":
      return "an https:// address without user name, query or fragment";
    case "http-url":
      return "an http:// or https:// address";
    case "smtp-url":
      return "an address that begins with smtp:// or smtps://";
    case "redis-url":
      return "an address that begins with redis:// or rediss://";
    case "mailbox":
      return "an e-mail address, alone or as Name <address>";
    case "function":
      return "the name of a SQL function with its schema, such as app.check_request";
    case "hook-uri":
      return "pg-functions://postgres/ with a schema and a function, or an https:// address without user name and fragment";
    case "hook-secrets":
      return "one or more secrets, separated by vertical bars: `v1,whsec_` and 24 to 64 bytes in base64";
    case "framework-model":
      return `\`off\`, or one of ${FRAMEWORKS.join(", ")} and a model, such as provider_a/gpt-5.4-mini`;
    case "postgres-url":
      return "a connection string that begins with postgres:// or postgresql://, with one host or a list separated by commas";
  }
}

function parseValue(row: SettingRow, text: string, workingDir: string): SettingValue | null {
  switch (row.kind) {
    case "integer":
      return parseInteger(text, row.min, row.max);
    case "choice":
      return row.choices.includes(text) ? text : null;
    case "boolean":
      return text === "true" ? true : text === "false" ? false : null;
    case "addresses":
      return parseList(text, isAddressOrBlock);
    case "origins":
      return parseList(text, isOrigin);
    case "url-patterns":
      return parseList(text, isUrlPattern);
    case "names":
      return parseList(text, isName);
    case "extensions":
      return text === "" ? Object.freeze([]) : parseList(text, (entry) => entry !== "" && !entry.includes("\0"));
    case "seconds-list":
      return parseIntegers(text, { min: 0, max: MAX_SECONDS, maxEntries: MAX_SECONDS_ENTRIES });
    case "ports":
      return parseIntegers(text, { min: 1, max: 65_535, maxEntries: MAX_PORTS });
    case "key":
      return text.length >= row.minLength && /^[\x21-\x7e]+$/.test(text) ? text : null;
    case "host":
      return isHost(text) ? text : null;
    case "path":
      return text.includes("\0") ? null : resolve(workingDir, text);
    case "https-url":
      return parseHttpsUrl(text);
    case "http-url":
      return isUrlOf(text, ["http:", "https:"]) ? text.replace(/\/+$/, "") : null;
    case "smtp-url":
      return isUrlOf(text, ["smtp:", "smtps:"]) ? text : null;
    case "redis-url":
      return isUrlOf(text, ["redis:", "rediss:"]) ? text : null;
    case "mailbox":
      return /^([^<>"\r\n]+ <[^\s@<>]+@[^\s@<>]+>|[^\s@<>]+@[^\s@<>]+)$/.test(text) ? text : null;
    case "function":
      return QUALIFIED_NAME.test(text) ? text : null;
    case "hook-uri":
      return isHookUri(text) ? text : null;
    case "hook-secrets":
      return areHookSecrets(text) ? text : null;
    case "framework-model":
      return isFrameworkModel(text) ? text : null;
    case "postgres-url":
      return isPostgresUrl(text) ? text : null;
  }
}

/** Two identifiers of PostgreSQL, each plain or quoted. */
const QUALIFIED_NAME = /^(?:[a-z_]\w*|"(?:[^"\0]|"")+")\.(?:[a-z_]\w*|"(?:[^"\0]|"")+")$/i;

function parseInteger(text: string, min: number, max: number): number | null {
  if (!/^(0|[1-9]\d*)$/.test(text)) return null;
  const value = Number(text);
  return value >= min && value <= max ? value : null;
}

function parseList(text: string, isEntry: (entry: string) => boolean): readonly string[] | null {
  const entries = text.split(",").map((entry) => entry.trim());
  return entries.every(isEntry) ? Object.freeze(entries) : null;
}

const MAX_SECONDS_ENTRIES = 20;
const MAX_SECONDS = 604_800;
const MAX_PORTS = 100;

function parseIntegers(
  text: string,
  { min, max, maxEntries }: { readonly min: number; readonly max: number; readonly maxEntries: number },
): readonly number[] | null {
  const entries = text.split(",").map((entry) => parseInteger(entry.trim(), min, max));
  const numbers = entries.filter((entry) => entry !== null);
  return numbers.length === entries.length && entries.length <= maxEntries ? Object.freeze(numbers) : null;
}

/** An identifier of PostgreSQL. */
function isName(entry: string): boolean {
  return entry !== "" && !entry.includes("\0") && Buffer.byteLength(entry) <= 63;
}

/** A scheme and a host, which may begin with `*.`, as a Content-Security-Policy names them. */
function isOrigin(entry: string): boolean {
  const [, wildcard, rest = ""] = /^https?:\/\/(\*\.)?([^*;,'"\s]+)$/.exec(entry) ?? [];
  const named = entry.replace("*.", "");
  return rest !== "" && URL.parse(named)?.origin === named && (wildcard === undefined || rest.includes("."));
}

/** Any scheme is valid: mobile applications have their own (`myapp://callback`). */
function isUrlPattern(entry: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\/[^\s\\]*$/i.test(entry);
}

/** The parser also accepts other numbers of slashes, and credentials after them. */
function isUrlOf(text: string, protocols: readonly string[]): boolean {
  const url = /^[a-z]+:\/\/[^/\\\s]\S*$/i.test(text) ? URL.parse(text) : null;
  return url !== null && protocols.includes(url.protocol) && url.hostname !== "";
}

function isAddressOrBlock(entry: string): boolean {
  const [address = "", prefix, ...rest] = entry.split("/");
  // A zone ("fe80::1%eth0") names an interface of this machine, which has no meaning in a list of peers.
  const version = address.includes("%") ? 0 : isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return prefix === undefined || parseInteger(prefix, 0, version === 4 ? 32 : 128) !== null;
}

function isHost(text: string): boolean {
  if (isIP(text) !== 0) return true;
  const label = "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?";
  // A last label of digits only is a mistyped IPv4 address.
  return text.length <= 253 && new RegExp(`^${label}(\\.${label})*$`, "i").test(text) && !/(^|\.)\d+$/.test(text);
}

function parseHttpsUrl(text: string): string | null {
  if (!/^https:\/\//i.test(text) || /[?#\s]/.test(text) || !URL.canParse(text)) return null;
  const url = new URL(text);
  if (url.username !== "" || url.password !== "") return null;
  return url.href.replace(/\/+$/, "");
}

function isPostgresUrl(text: string): boolean {
  if (!/^postgres(ql)?:\/\//.test(text) || /\s/.test(text)) return false;
  return parseDatabaseHosts(text)?.urls.every(isServerUrl) ?? false;
}

function isFrameworkModel(text: string): boolean {
  const [framework, ...model] = text.split("/");
  return text === "off" || (FRAMEWORKS.some((known) => known === framework) && /^[\x21-\x7e]+$/.test(model.join("/")));
}

/** A connection string with one host. */
function isServerUrl(text: string): boolean {
  // "user@/name?host=/socket/dir" is common for unix sockets, but the URL standard rejects an empty host after a user.
  const parsable = text.replace("@/", "@localhost/");
  if (!URL.canParse(parsable)) return false;
  const { username, password, hostname, pathname } = new URL(parsable);
  return [username, password, hostname, pathname].every(isPercentEncodingValid);
}

function isPercentEncodingValid(part: string): boolean {
  try {
    decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}
