const { rawJSON, isRawJSON } = JSON as typeof JSON & {
  rawJSON(text: string): unknown;
  isRawJSON(value: unknown): boolean;
};

/** A number of JSON with all of its digits, for `JSON.stringify`. */
export function exactNumber(text: string): unknown {
  return rawJSON(text);
}

export function isExactNumber(value: unknown): boolean {
  return isRawJSON(value);
}

/** Parses JSON, and keeps the numbers that a number of JavaScript would change. Throws a SyntaxError. */
export function parseExactJson(text: string): unknown {
  const revive = (_name: string, value: unknown, { source }: { readonly source?: string }): unknown =>
    typeof value === "number" && source !== undefined && String(value) !== source ? rawJSON(source) : value;
  return JSON.parse(text, revive as (name: string, value: unknown) => unknown);
}
