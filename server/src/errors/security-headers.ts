/**
 * Headers of every response. A response is data for programs: not a page, not to be sniffed or framed, and not to be cached, as
 * nearly all of it is for one caller. A response that may be cached or shown overrides them. Loading it across origins with
 * CORS is possible; as an image or a script it is not.
 */
export const SECURITY_HEADERS = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
} as const;
