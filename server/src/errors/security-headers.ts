/**
 * On every answer, whoever writes it. What we send is data for programs: never a page, never to be guessed at or framed, and nobody's
 * to keep, as nearly all of it was made for one caller. An answer that may be kept or shown says so itself. Loading it across
 * origins with CORS stays possible; as an image or a script it is not.
 */
export const SECURITY_HEADERS = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
} as const;
