import type { IncomingHttpHeaders } from "node:http";

const EXPOSED = [
  "content-range",
  "etag",
  "content-location",
  "location",
  "preference-applied",
  "proxy-status",
  "x-total-count",
  "x-row-limit",
  "link",
  "x-supabase-api-version",
  "x-sb-error-code",
  "x-relay-error",
  "x-request-id",
  "x-run-id",
  "idempotent-replayed",
  "x-request-signature-status",
  "retry-after",
  "x-ratelimit-limit",
  "x-ratelimit-remaining",
  "x-ratelimit-reset",
  "server-timing",
  "mcp-session-id",
  "warning",
  "www-authenticate",
];

const ALLOWED_WITHOUT_ASKING = [
  "authorization",
  "apikey",
  "content-type",
  "x-client-info",
  "prefer",
  "accept",
  "accept-profile",
  "content-profile",
  "range",
  "range-unit",
  "x-supabase-api-version",
  "x-retry-count",
  "x-region",
  "traceparent",
  "tracestate",
  "baggage",
  "x-request-signature",
  "signature",
  "signature-input",
  "content-digest",
  "x-upsert",
  "x-http-method-override",
  "idempotency-key",
  "last-event-id",
  "mcp-session-id",
  "mcp-protocol-version",
  "if-none-match",
  "cache-control",
];

const ONE_DAY_SECONDS = 86_400;

/** On every response. Credentials are sent in headers and never in cookies, so any origin may call. */
export const CORS_HEADERS = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": EXPOSED.join(", "),
} as const;

export function buildPreflightHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const wanted = headers["access-control-request-headers"];
  const isHeaderList = wanted !== undefined && /^[\w!#$%&'*+.^`|~, -]+$/.test(wanted);
  return {
    ...CORS_HEADERS,
    "access-control-allow-methods": "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS",
    "access-control-allow-headers": isHeaderList ? wanted : ALLOWED_WITHOUT_ASKING.join(", "),
    "access-control-max-age": String(ONE_DAY_SECONDS),
    vary: "Access-Control-Request-Headers",
  };
}
