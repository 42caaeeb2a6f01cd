const TOKEN = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/;
const MAX_NAME_LENGTH = 256;
const MAX_VALUE_BYTES = 4096;
const MAX_CUSTOM_HEADERS = 20;

/** Headers that control the connection or are set by this module. */
const TRANSPORT_HEADERS: ReadonlySet<string> = new Set([
  "accept-encoding",
  "connection",
  "content-length",
  "expect",
  "host",
  "http2-settings",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "via",
]);
const TRANSPORT_PREFIXES = ["proxy-"];
const SENDER_HEADERS: ReadonlySet<string> = new Set(["idempotency-key", "user-agent"]);
const SENDER_PREFIXES = ["content-", "x-service-", "webhook-"];

const MAX_VALID_LISTS = 2_000;
const MAX_LIST_LENGTH = 1_024;
/** Valid lists of names, as a cache: a sender repeats the same few. */
const validLists = new Set<string>();

/** Returns why these headers cannot be sent; null when they can. */
export function findHeaderFault(headers: Readonly<Record<string, string>>): string | null {
  const names = Object.keys(headers);
  return findNameFault(names) ?? findValueFault(names, headers);
}

function findNameFault(names: readonly string[]): string | null {
  // The count keeps a name with a line break from matching a cached list of several valid names.
  const list = `${names.length}\n${names.join("\n")}`;
  if (validLists.has(list)) return null;
  const seen = new Set<string>();
  for (const name of names.map((one) => one.toLowerCase())) {
    if (name.length > MAX_NAME_LENGTH || !TOKEN.test(name)) return "The name of a header is not valid.";
    if (isIn(name, TRANSPORT_HEADERS, TRANSPORT_PREFIXES)) return `The header ${name} cannot be set.`;
    if (seen.has(name)) return `The header ${name} is given twice.`;
    seen.add(name);
  }
  if (validLists.size >= MAX_VALID_LISTS) validLists.clear();
  if (list.length <= MAX_LIST_LENGTH) validLists.add(list);
  return null;
}

function findValueFault(names: readonly string[], headers: Readonly<Record<string, unknown>>): string | null {
  for (const name of names) {
    const value = headers[name];
    if (typeof value !== "string" || !isVisibleText(value))
      return `The value of the header ${name.toLowerCase()} is not plain text.`;
    if (value.length > MAX_VALUE_BYTES)
      return `The value of the header ${name.toLowerCase()} is longer than ${MAX_VALUE_BYTES} bytes.`;
  }
  return null;
}

/** Returns why the owner of a tool may not set these headers, including those that the service sets; null when allowed. */
export function findCustomHeaderFault(headers: Readonly<Record<string, string>>): string | null {
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  if (names.length > MAX_CUSTOM_HEADERS) return `More than ${MAX_CUSTOM_HEADERS} headers are given.`;
  const fault = findHeaderFault(headers);
  if (fault !== null) return fault;
  const reserved = names.find((name) => isIn(name, SENDER_HEADERS, SENDER_PREFIXES));
  return reserved === undefined ? null : `The header ${reserved} is set by the sender.`;
}

/** Visible ASCII, spaces and tabs: receivers differ in how they read anything else. */
function isVisibleText(value: string): boolean {
  return !/[^\t\x20-\x7e]/.test(value);
}

function isIn(name: string, names: ReadonlySet<string>, prefixes: readonly string[]): boolean {
  return names.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
}
