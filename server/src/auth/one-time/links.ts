import type { AuthContext } from "../auth-context.ts";
import type { AuthResponse } from "../call.ts";
import type { SessionBody } from "../sessions/render-session.ts";
import { type LinkKind, linkTypeOf } from "./one-time-kind.ts";

interface NewLink {
  readonly kind: LinkKind;
  readonly tokenHash: string;
  /** Returned by `chooseRedirect`. */
  readonly redirectTo: string;
}

/** The URL of the link in a mail. */
export function buildLink({ baseUrl }: Pick<AuthContext, "baseUrl">, { kind, tokenHash, redirectTo }: NewLink): string {
  const query = new URLSearchParams({ token: tokenHash, type: linkTypeOf(kind), redirect_to: redirectTo });
  return `${baseUrl}/auth/v1/verify?${query.toString()}`;
}

export type RedirectFields = Readonly<Record<string, string>>;

/** Keeps existing parameters. */
export function addToQuery(address: string, fields: RedirectFields): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(fields)) url.searchParams.set(name, value);
  return url.href;
}

export function redirect(location: string, headers: Readonly<Record<string, string>> = {}): AuthResponse {
  const always = { location, "cache-control": "no-store", "referrer-policy": "no-referrer" };
  return { status: 303, headers: { ...headers, ...always } };
}

/** The session as clients read it from a fragment. */
export function sessionFields(session: SessionBody): RedirectFields {
  const { access_token, expires_at, expires_in, refresh_token, token_type } = session;
  return { access_token, expires_at: `${expires_at}`, expires_in: `${expires_in}`, refresh_token, sb: "", token_type };
}

/** Replaces the fragment, which clients read as a whole. */
export function addToFragment(address: string, fields: RedirectFields): string {
  const url = new URL(address);
  url.hash = new URLSearchParams({ ...fields }).toString();
  return url.href;
}

const MAX_LENGTH = 2_048;
// White space and control characters that URL parsers drop, and the backslash that some parsers treat as a slash.
const TRICKS = /[\p{Cc}\p{Cf}\s\\]/u;
// Schemes that execute or display the URL's own content.
const REJECTED_SCHEMES = new Set([
  "about:",
  "blob:",
  "data:",
  "file:",
  "filesystem:",
  "javascript:",
  "vbscript:",
  "view-source:",
]);
const DEFAULT_PORTS: Readonly<Record<string, string>> = { http: ":80", https: ":443" };

type RedirectContext = {
  readonly baseUrl: string;
  readonly settings: Pick<AuthContext["settings"], "redirectAllowList" | "siteUrl">;
};

export function siteUrlOf({ settings, baseUrl }: RedirectContext): string {
  return settings.siteUrl ?? baseUrl;
}

/** Returns the requested URL when it belongs to the site or matches the allow list, otherwise the site URL. */
export function chooseRedirect(context: RedirectContext, wanted: string | undefined): string {
  const siteUrl = siteUrlOf(context);
  const url = wanted === undefined ? null : parseCandidate(wanted);
  if (url === null) return siteUrl;
  const isAllowed =
    isBelow(url, siteUrl) || context.settings.redirectAllowList.some((pattern) => matches(url, pattern));
  // The parsed form, not the text that was sent: the browser gets exactly what was checked.
  return isAllowed ? url.href : siteUrl;
}

function parseCandidate(text: string): URL | null {
  if (text.length > MAX_LENGTH || TRICKS.test(text) || !/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return null;
  const url = URL.parse(text);
  if (url === null || url.username !== "" || url.password !== "" || REJECTED_SCHEMES.has(url.protocol)) return null;
  return url;
}

function isBelow(url: URL, siteUrl: string): boolean {
  const site = URL.parse(siteUrl);
  if (site === null || url.protocol !== site.protocol || url.host !== site.host) return false;
  const root = site.pathname.replace(/\/+$/, "");
  return url.pathname === root || url.pathname.startsWith(`${root}/`);
}

/** Compares scheme, host and the rest separately, so that no wildcard of a host reaches into a path. */
function matches(url: URL, pattern: string): boolean {
  const parts = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)(.*)$/i.exec(pattern);
  if (parts === null) return false;
  const scheme = (parts[1] ?? "").toLowerCase();
  const host = (parts[2] ?? "").toLowerCase();
  const rest = parts[3] ?? "";
  if (url.protocol !== `${scheme}:`) return false;
  const defaultPort = DEFAULT_PORTS[scheme];
  const plainHost = defaultPort !== undefined && host.endsWith(defaultPort) ? host.slice(0, -defaultPort.length) : host;
  if (!toExpression(plainHost, { one: "[^./:]*", any: ".*" }).test(url.host.toLowerCase())) return false;
  // "https://**" matches every URL of the scheme.
  const wantedRest = rest === "" && host.endsWith("**") ? "/**" : rest === "" ? "/" : rest;
  const givenRest = `${url.pathname === "" ? "/" : url.pathname}${url.search}`;
  return toExpression(wantedRest, { one: "[^./?]*", any: ".*" }).test(givenRest);
}

function toExpression(pattern: string, wildcards: { readonly one: string; readonly any: string }): RegExp {
  const source = pattern
    .split(/(\*+)/)
    .map((part) => (part === "*" ? wildcards.one : part.startsWith("**") ? wildcards.any : escapeText(part)))
    .join("");
  return new RegExp(`^${source}$`, "s");
}

function escapeText(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
