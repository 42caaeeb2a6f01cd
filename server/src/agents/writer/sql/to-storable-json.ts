/** Replaces null characters and lone surrogates, which models write and PostgreSQL rejects in values and keys. */
export function toStorableJson(value: unknown): string {
  return JSON.stringify(value).replace(/\\(?:\\|u0000|ud[89a-f][0-9a-f]{2})/g, (escape) =>
    escape === "\\\\" ? escape : "\\ufffd",
  );
}
