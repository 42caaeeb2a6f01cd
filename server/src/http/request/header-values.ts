/** Several values of a header as one, which is then no key, no token and no signature: which one was meant cannot be told. */
export function joinValues(value: string | string[] | undefined): string | undefined {
  return typeof value === "object" ? value.join(", ") : value;
}

/** Of values that may repeat, the first. Without a prototype: names come from the caller. */
export function firstOfEach(values: Readonly<Record<string, unknown>>): Record<string, string | undefined> {
  const firsts = Object.create(null) as Record<string, string | undefined>;
  for (const [name, value] of Object.entries(values)) {
    const first: unknown = Array.isArray(value) ? value[0] : value;
    if (typeof first === "string") firsts[name] = first;
  }
  return firsts;
}
