import { FINE, type Field, fault, field } from "./field.ts";

const UUID = /^[0-9a-f]{4}(?:-?[0-9a-f]{4}){7}$/i;

export function uuid(): Field {
  return field((value) => (findUuid(value) === null ? fault("must be a UUID") : FINE));
}

/** The canonical form of any UUID syntax that PostgreSQL accepts; null for anything else. */
export function canonicalUuid(value: unknown): string | null {
  const digits = findUuid(value)?.replaceAll("-", "").toLowerCase();
  return digits?.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-") ?? null;
}

/** Without the braces that it may have. */
function findUuid(value: unknown): string | null {
  if (typeof value !== "string") return null;
  const bare = value.startsWith("{") && value.endsWith("}") ? value.slice(1, -1) : value;
  return UUID.test(bare) ? bare : null;
}
