/** Joins repeated headers. The result is no valid key, token or signature: it is unclear which one was meant. */
export function joinValues(value: string | string[] | undefined): string | undefined {
  return typeof value === "object" ? value.join(", ") : value;
}

/** Returns the first of repeated values. Without a prototype, because clients choose the names. */
export function firstValues(values: Readonly<Record<string, unknown>>): Record<string, string | undefined> {
  const firsts = Object.create(null) as Record<string, string | undefined>;
  for (const [name, value] of Object.entries(values)) {
    const first: unknown = Array.isArray(value) ? value[0] : value;
    if (typeof first === "string") firsts[name] = first;
  }
  return firsts;
}
