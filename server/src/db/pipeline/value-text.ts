/** A parameter. It is sent as text, and the statement determines its type. */
export type StatementValue = string | number | bigint | boolean | Date | Uint8Array | null | readonly StatementValue[];

export function toValueText(value: StatementValue): string | null {
  if (typeof value === "string" || value === null) return value;
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString("hex")}`;
  if (isList(value)) return `{${value.map(toElement).join(",")}}`;
  return String(value);
}

function toElement(value: StatementValue): string {
  const text = toValueText(value);
  if (text === null) return "NULL";
  return isList(value) ? text : `"${text.replace(/["\\]/g, "\\$&")}"`;
}

// Array.isArray does not narrow readonly arrays.
function isList(value: StatementValue): value is readonly StatementValue[] {
  return Array.isArray(value);
}
