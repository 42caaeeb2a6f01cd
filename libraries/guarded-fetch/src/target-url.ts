import { isIP } from "node:net";
import type { AddressPolicy } from "./address-policy.ts";

interface Rejection {
  readonly ok: false;
  readonly reason: string;
  readonly fault: "invalid_url" | "blocked_address";
}

export type TargetCheck = { readonly ok: true; readonly url: URL } | Rejection;

const MAX_URL_LENGTH = 2048;
const MAX_NAME_LENGTH = 253;
const HTTPS = /^https:\/\//i;
const SCHEME = /^https?:\/\//i;
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
const LOCAL_SUFFIXES = [".localhost", ".local", ".internal", ".home.arpa", ".lan"];

export interface TargetOptions {
  /** Whether a server on this machine may be reached without TLS, where the policy allows its address. */
  readonly allowsPlainLoopback?: boolean;
}

/**
 * Checks a target without the DNS: syntax, literal addresses, names that are never public, ports. The URL that it returns is
 * the one to request: its scheme and host are in lower case, and its host has no trailing dot, so that the certificate, the
 * Host header and the pool of connections have one name.
 */
export function checkTargetUrl(text: string, policy: AddressPolicy, options: TargetOptions = {}): TargetCheck {
  const fault = findTextFault(text, options);
  if (fault !== null) return reject(fault);
  const url = URL.parse(text);
  if (url === null) return reject("The URL cannot be parsed.");
  if (/[^.]\.$/.test(url.hostname)) url.hostname = url.hostname.slice(0, -1);
  if (url.protocol !== "https:" && !isLoopbackHost(hostOf(url)))
    return reject("The URL must begin with https://, unless the server is on this machine.");
  // Before the port: the answer for a blocked address is the same for every port.
  const hostFault = isIP(hostOf(url)) === 0 ? findNameFault(url.hostname, policy) : findLiteralFault(url, policy);
  if (hostFault !== null) return hostFault;
  if (url.port !== "" && !policy.allowsPort(Number(url.port))) return reject(`Port ${url.port} is not allowed.`);
  return { ok: true, url };
}

/** The host as a socket takes it: an IPv6 address without brackets. */
function hostOf(url: URL): string {
  return url.hostname.startsWith("[") ? url.hostname.slice(1, -1) : url.hostname;
}

/** Hosts of this machine. What the name leads to is checked when a connection is made. */
export function isLoopbackHost(host: string): boolean {
  return host === "localhost" || isLoopbackAddress(host);
}

export function isLoopbackUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && isLoopbackHost(hostOf(url));
}

export function isLoopbackAddress(address: string): boolean {
  return address === "::1" || (isIP(address) === 4 && address.startsWith("127."));
}

/** Names that no public zone can contain. They may resolve only to addresses that the operator allowed. */
export function isLocalName(name: string): boolean {
  return !name.includes(".") || LOCAL_SUFFIXES.some((suffix) => name.endsWith(suffix));
}

/** Checks the text itself, because the URL parser silently removes or rewrites misleading characters. */
function findTextFault(text: string, { allowsPlainLoopback = false }: TargetOptions): string | null {
  if (text.length > MAX_URL_LENGTH) return `The URL is longer than ${MAX_URL_LENGTH} characters.`;
  if (!(allowsPlainLoopback ? SCHEME : HTTPS).test(text)) return "The URL must begin with https://.";
  if (/[\s\p{Cc}\\]/u.test(text) || !text.isWellFormed()) {
    return "The URL must not contain spaces, control characters or backslashes.";
  }
  const authority = text.replace(SCHEME, "").split(/[/?#]/, 1)[0] ?? "";
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
