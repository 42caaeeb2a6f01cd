import type { IncomingMessage } from "node:http";
import { SECURITY_HEADERS } from "../../errors/index.ts";
import { CORS_HEADERS } from "../request/cors.ts";

const TWO_YEARS_SECONDS = 63_072_000;
const LOCALHOST = /(?:^|\.)localhost\.?(?::\d+)?$/i;

/** For responses to input that is no valid request. */
export const RESPONSE_HEADERS: Readonly<Record<string, string>> = { ...SECURITY_HEADERS, ...CORS_HEADERS };
const STRICT: Readonly<Record<string, string>> = {
  ...RESPONSE_HEADERS,
  "strict-transport-security": `max-age=${TWO_YEARS_SECONDS}`,
};

/** Returns the headers that every response to a request has. */
export type ResponseHeadersOf = (request: Pick<IncomingMessage, "headers">) => Readonly<Record<string, string>>;

/**
 * HSTS is sent with a certificate of the operator or of a proxy, not with one of the local authority: a browser lets nobody past an error
 * with that certificate once it has seen the header. Not on `localhost` either: browsers would apply it to every port and block the
 * developer's other servers.
 */
export function buildResponseHeaders(tls: { readonly caFile: string | null } | null): ResponseHeadersOf {
  if (tls !== null && tls.caFile !== null) return () => RESPONSE_HEADERS;
  return ({ headers: { host = "" } }) => (LOCALHOST.test(host) ? RESPONSE_HEADERS : STRICT);
}
