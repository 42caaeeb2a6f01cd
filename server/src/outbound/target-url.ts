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

/** What can be said about a target without asking the DNS: syntax, literal addresses, names that are never public. */
export function checkTargetUrl(text: string, policy: AddressPolicy): TargetCheck {
  const fault = findTextFault(text);
  if (fault !== null) return refuse(fault);
  const url = URL.parse(text);
  if (url === null) return refuse("The URL cannot be parsed.");
  if (url.port === "0" || BLOCKED_PORTS.has(Number(url.port))) return refuse(`Port ${url.port} is not allowed.`);
  const host = hostOf(url);
  return isIP(host) === 0 ? checkName(url, policy) : checkLiteral(url, policy);
}

/** As a socket wants it: an IPv6 address without its brackets. */
function hostOf(url: URL): string {
  return url.hostname.startsWith("[") ? url.hostname.slice(1, -1) : url.hostname;
}

/** Names that no public zone can hold. Only addresses that the operator allowed are theirs. */
export function isLocalName(name: string): boolean {
  return !name.includes(".") || LOCAL_SUFFIXES.some((suffix) => name.endsWith(suffix));
}

/** The text itself is judged, because the parser silently drops or turns what was written to deceive. */
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
    return refuse("The host name is not valid.");
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

function refuse(reason: string): TargetCheck {
  return { ok: false, reason, fault: "invalid_url" };
}
