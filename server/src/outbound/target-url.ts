import { isIP } from "node:net";
import type { AddressPolicy } from "./address-policy.ts";

interface Rejection {
  readonly ok: false;
  readonly reason: string;
  readonly fault: "invalid_url" | "blocked_address";
}

export type TargetCheck = { readonly ok: true; readonly url: URL } | Rejection;

/** Ports of other protocols, which an HTTP request could attack: the bad ports of the Fetch standard. */
const BLOCKED_PORTS: ReadonlySet<number> = new Set([
  1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);
const MAX_URL_LENGTH = 2048;
const MAX_NAME_LENGTH = 253;
const HTTPS = "https://";
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
const LOCAL_SUFFIXES = [".localhost", ".local", ".internal", ".home.arpa", ".lan"];

/** Checks a target without the DNS: syntax, literal addresses, names that are never public. */
export function checkTargetUrl(text: string, policy: AddressPolicy): TargetCheck {
  const fault = findTextFault(text);
  if (fault !== null) return reject(fault);
  const url = URL.parse(text);
  if (url === null) return reject("The URL cannot be parsed.");
  // Before the port: the answer for a blocked address is the same for every port.
  const hostFault = isIP(hostOf(url)) === 0 ? findNameFault(url.hostname, policy) : findLiteralFault(url, policy);
  if (hostFault !== null) return hostFault;
  if (url.port === "0" || BLOCKED_PORTS.has(Number(url.port))) return reject(`Port ${url.port} is not allowed.`);
  return { ok: true, url };
}

/** The host as a socket takes it: an IPv6 address without brackets. */
function hostOf(url: URL): string {
  return url.hostname.startsWith("[") ? url.hostname.slice(1, -1) : url.hostname;
}

/** Names that no public zone can contain. They may resolve only to addresses that the operator allowed. */
export function isLocalName(name: string): boolean {
  return !name.includes(".") || LOCAL_SUFFIXES.some((suffix) => name.endsWith(suffix));
}

/** Checks the text itself, because the URL parser silently removes or rewrites misleading characters. */
function findTextFault(text: string): string | null {
  if (text.length > MAX_URL_LENGTH) return `The URL is longer than ${MAX_URL_LENGTH} characters.`;
  if (!text.startsWith(HTTPS)) return "The URL must begin with https://.";
  if (/[\s\p{Cc}\\]/u.test(text) || !text.isWellFormed()) {
    return "The URL must not contain spaces, control characters or backslashes.";
  }
  const authority = text.slice(HTTPS.length).split(/[/?#]/, 1)[0] ?? "";
  if (authority === "") return "The URL has no host.";
  if (authority.includes("@")) return "The URL must not contain a user name or password.";
  return null;
}

function findNameFault(name: string, policy: AddressPolicy): Rejection | null {
  if (name.length > MAX_NAME_LENGTH || !name.split(".").every((label) => LABEL.test(label))) {
    return reject("The host name is not valid.");
  }
  if (!isLocalName(name) || policy.hasAllowList) return null;
  return { ok: false, reason: `${name} is a local name.`, fault: "blocked_address" };
}

function findLiteralFault(url: URL, policy: AddressPolicy): Rejection | null {
  const address = hostOf(url);
  if (policy.allows(address)) return null;
  return { ok: false, reason: `The address ${address} must not be reached.`, fault: "blocked_address" };
}

function reject(reason: string): Rejection {
  return { ok: false, reason, fault: "invalid_url" };
}
