/** Headers that belong to one connection (RFC 9110, 7.6.1). */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Headers of the caller that every function receives. Credentials are not among them. */
const USUAL: readonly string[] = [
  "accept",
  "accept-language",
  "baggage",
  "idempotency-key",
  "if-modified-since",
  "if-none-match",
  "last-event-id",
  "traceparent",
  "tracestate",
  "user-agent",
  "x-client-info",
];

/** Headers of the caller that no function may receive, or that the service writes itself. */
const KEPT_BACK: ReadonlySet<string> = new Set([
  "accept-encoding",
  "apikey",
  "authorization",
  "content-encoding",
  "content-length",
  "content-type",
  "cookie",
  "expect",
  "host",
  "signature",
  "signature-input",
  "x-request-id",
  "x-request-signature",
]);

/** Response headers that the service writes itself: a function must not change how browsers treat the service's origin. */
const WRITTEN_BY_SERVICE =
  /^(?:access-control-|cross-origin-|x-ratelimit-|content-security-policy|(?:set-cookie2?|clear-site-data|referrer-policy|service-worker-allowed|strict-transport-security|x-content-type-options|x-frame-options|x-relay-error|x-request-id|x-request-signature-status|content-encoding)$)/;

/** Whether an operator may have a header of the caller forwarded. */
export function isForwardable(name: string): boolean {
  const lower = name.toLowerCase();
  if (!/^[a-z0-9!#$%&'*+.^_`|~-]+$/.test(lower)) return false;
  return !HOP_BY_HOP.has(lower) && !KEPT_BACK.has(lower) && !/^(?:x-service-|sec-|proxy-)/.test(lower);
}

/** The headers of the caller that are forwarded, by their names in lower case. */
export function selectRequestHeaders(
  headers: Readonly<Record<string, string | undefined>>,
  forwarded: readonly string[],
): Record<string, string> {
  const named = [...USUAL, ...forwarded].map((name) => [name, headers[name]] as const);
  return Object.fromEntries(named.filter((pair): pair is readonly [string, string] => pair[1] !== undefined));
}

/** The headers of a function's response that the caller receives. */
export function selectResponseHeaders(headers: Headers): Record<string, string> {
  const ofConnection = new Set((headers.get("connection") ?? "").toLowerCase().split(/\s*,\s*/));
  return Object.fromEntries(
    [...headers].filter(([name]) => !HOP_BY_HOP.has(name) && !ofConnection.has(name) && !WRITTEN_BY_SERVICE.test(name)),
  );
}
