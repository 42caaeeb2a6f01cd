const MAX_LENGTH = 200;

/** What the audit log has of a value; null means none. PostgreSQL stores no U+0000 and no half of a surrogate pair in JSON. */
export function noteValue(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.slice(0, MAX_LENGTH).replaceAll("\u0000", "\ufffd").toWellFormed();
}
