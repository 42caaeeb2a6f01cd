/** Reads tables or results from JSON, which has no NaN: a missing value is null there. */
export function parseFigures(text: string): unknown {
  return JSON.parse(text, (key, value: unknown) => (key === "value" && value === null ? Number.NaN : value));
}
