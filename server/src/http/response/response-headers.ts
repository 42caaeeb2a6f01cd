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

/** No HSTS on `localhost`: browsers would apply it to every port and block the developer's other servers. */
export function responseHeadersOf({
  headers: { host = "" },
}: Pick<IncomingMessage, "headers">): Record<string, string> {
  return LOCALHOST.test(host) ? RESPONSE_HEADERS : STRICT;
}
