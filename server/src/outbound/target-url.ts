import { isIP } from "node:net";
import type { AddressPolicy } from "./address-policy.ts";
import { BLOCKED_PORTS } from "./blocked-ports.ts";

export type TargetCheck =
  | { readonly ok: true; readonly url: URL }
  | { readonly ok: false; readonly reason: string; readonly fault: "invalid_url" | "blocked_address" };

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
  if (url.port === "0" || BLOCKED_PORTS.has(Number(url.port))) return reject(`Port ${url.port} is not allowed.`);
  const host = hostOf(url);
  return isIP(host) === 0 ? checkName(url, policy) : checkLiteral(url, policy);
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

function checkName(url: URL, policy: AddressPolicy): TargetCheck {
  const name = url.hostname;
  if (name.length > MAX_NAME_LENGTH || !name.split(".").every((label) => LABEL.test(label))) {
    return reject("The host name is not valid.");
  }
  if (isLocalName(name) && !policy.hasAllowList) {
    return { ok: false, reason: `${name} is a local name.`, fault: "blocked_address" };
  }
  return { ok: true, url };
}

function checkLiteral(url: URL, policy: AddressPolicy): TargetCheck {
  if (policy.allows(hostOf(url))) return { ok: true, url };
  return { ok: false, reason: `The address ${hostOf(url)} must not be reached.`, fault: "blocked_address" };
}

function reject(reason: string): TargetCheck {
  return { ok: false, reason, fault: "invalid_url" };
}
