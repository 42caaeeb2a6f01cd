const MASK = "***";
/**
 * Within a text, a URL ends with the word, whatever characters it has: templates of tools have braces. Parsers accept any number of
 * slashes and backslashes after the scheme.
 */
const URLS = /[a-z][a-z0-9+.-]*:[\\/]+\S+/gi;
/** A text that begins like a URL can be one with spaces, which browsers and the service accept. */
const WHOLE = /^\s*[a-z][a-z0-9+.-]*:[\\/]+/i;
const PARTS = /^(\s*[a-z][a-z0-9+.-]*:[\\/]+)([^/?#]*)([^?#]*)(\?[^#]*)?(#.*)?$/is;
const MIN_TOKEN_LENGTH = 20;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * The text, in which URLs show no part that can be a credential: user name and password, values of the query, the fragment, and
 * segments of the path that look like a token.
 */
export function maskUrls(text: string): string {
  return (WHOLE.test(text) ? maskUrl(text) : text).replace(URLS, maskUrl);
}

function maskUrl(url: string): string {
  const [, scheme = "", authority = "", path = "", query, fragment] = PARTS.exec(url) ?? [];
  if (scheme === "") return MASK;
  const at = authority.lastIndexOf("@");
  return [
    scheme,
    at === -1 ? authority : `${MASK}@${authority.slice(at + 1)}`,
    path.split("/").map(maskSegment).join("/"),
    query === undefined ? "" : `?${query.slice(1).split("&").map(maskParameter).join("&")}`,
    fragment === undefined ? "" : `#${MASK}`,
  ].join("");
}

function maskParameter(parameter: string): string {
  const equals = parameter.indexOf("=");
  return equals === -1 ? MASK : `${parameter.slice(0, equals)}=${MASK}`;
}

/** Receivers such as chat services have their secret in the path. Words and ids of rows are none. */
function maskSegment(segment: string): string {
  if (segment.length < MIN_TOKEN_LENGTH || UUID.test(segment)) return segment;
  const isToken = /\d/.test(segment) || (/[a-z]/.test(segment) && /[A-Z]/.test(segment));
  return isToken ? MASK : segment;
}
