const MAX_DEPTH = 64;

/** The same text for equal values. Returns a text that is not JSON, or is nested too deeply, as it is. */
export function canonicalJson(text: string): string {
  const trimmed = text.trim();
  // Models write an empty text for a tool without arguments.
  if (trimmed === "") return "{}";
  try {
    return write(JSON.parse(trimmed), 0);
  } catch {
    return trimmed;
  }
}

function write(value: unknown, depth: number): string {
  if (depth > MAX_DEPTH) throw new RangeError("nested too deeply");
  if (Array.isArray(value)) return `[${value.map((item: unknown) => write(item, depth + 1)).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, item]: [string, unknown]) => `${JSON.stringify(key)}:${write(item, depth + 1)}`);
  return `{${members.join(",")}}`;
}
