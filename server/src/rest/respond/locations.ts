/** Longer than this, a header would endanger the answer it only describes. */
const MAX_CONTENT_LOCATION = 8000;
const PLAIN_NAME = /^\w+$/;
const STRAY = /[^\x21-\x7e]/g;

/** Where a row that was just made can be read: its primary key, as an object of texts and nulls, as filters. */
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

/** The same address for all ways to write one query: parameters by name, each as it was encoded. Null: too long to tell. */
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

/** A URL that was sent unencoded arrives as one character for each byte; headers take only plain ones. */
function encodeStray(text: string): string {
  return text.replace(STRAY, (character) => {
    const byte = character.charCodeAt(0) & 0xff;
    return `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  });
}
