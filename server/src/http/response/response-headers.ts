import type { IncomingMessage } from "node:http";
import { SECURITY_HEADERS } from "../../errors/index.ts";
import { CORS_HEADERS } from "../request/cors.ts";

const TWO_YEARS_SECONDS = 63_072_000;
const LOCALHOST = /(?:^|\.)localhost\.?(?::\d+)?$/i;

/** For answers to what is no request that could be read. */
export const ANSWER_HEADERS: Readonly<Record<string, string>> = { ...SECURITY_HEADERS, ...CORS_HEADERS };
const STRICT: Readonly<Record<string, string>> = {
  ...ANSWER_HEADERS,
  "strict-transport-security": `max-age=${TWO_YEARS_SECONDS}`,
};

/**
 * What every answer to a request has. A browser that was told to use HTTPS alone on `localhost` would do so for every port, and the
 * developer's other servers would be out of its reach.
 */
export function answerHeadersOf({ headers: { host = "" } }: Pick<IncomingMessage, "headers">): Record<string, string> {
  return LOCALHOST.test(host) ? ANSWER_HEADERS : STRICT;
}
