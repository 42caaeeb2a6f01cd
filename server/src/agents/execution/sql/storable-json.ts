/** Models write zero bytes and halves of surrogate pairs, which PostgreSQL accepts neither in values nor in keys. */
export function toStorableJson(value: unknown): string {
  return JSON.stringify(value).replace(/\\(?:\\|u0000|ud[89a-f][0-9a-f]{2})/g, (escape) =>
    escape === "\\\\" ? escape : "\\ufffd",
  );
}
