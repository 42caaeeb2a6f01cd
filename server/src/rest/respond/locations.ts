/** Proxies reject responses with longer headers. */
const MAX_CONTENT_LOCATION = 8000;
const PLAIN_NAME = /^\w+$/;
const STRAY = /[^\x21-\x7e]/g;

/** The URL of a new row. `key` is a JSON object of its primary key, as texts and nulls. */
export function formatLocation(relation: string, key: string | null): string | null {
  if (key === null) return null;
  const columns = Object.entries(JSON.parse(key) as Record<string, string | null>);
  if (columns.length === 0) return null;
  const filters = columns.map(([name, value]) => {
    const operation = value === null ? "is.null" : `eq.${encodeURIComponent(value)}`;
    return `${encodeURIComponent(name)}=${operation}`;
  });
  return `/${encodeURIComponent(relation)}?${filters.join("&")}`;
}

/** The canonical URL of a query: parameters sorted by name, encoded as sent. Null means that it is too long for a header. */
export function formatContentLocation(relation: string, rawSearch: string): string | null {
  const path = PLAIN_NAME.test(relation) ? `/${relation}` : `/${encodeURIComponent(relation)}`;
  if (rawSearch.length > MAX_CONTENT_LOCATION) return null;
  const search = rawSearch.startsWith("?") ? rawSearch.slice(1) : rawSearch;
  if (search === "") return path;
  const parts = search.includes("&") ? sortByName(search.split("&")) : [search];
  return `${path}?${encodeStray(parts.join("&"))}`;
}

function sortByName(parts: readonly string[]): string[] {
  return parts
    .filter((part) => part !== "")
    .sort((left, right) => {
      const [one, other] = [nameOf(left), nameOf(right)];
      return one < other ? -1 : Number(one > other);
    });
}

function nameOf(part: string): string {
  const equals = part.indexOf("=");
  return equals === -1 ? part : part.slice(0, equals);
}

/** An unencoded URL arrives as one character per byte; headers must be ASCII. */
function encodeStray(text: string): string {
  return text.replace(STRAY, (character) => {
    const byte = character.charCodeAt(0) & 0xff;
    return `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  });
}
