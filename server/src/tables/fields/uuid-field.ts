import { FINE, type Field, fault, field } from "./field.ts";

const UUID = /^[0-9a-f]{4}(?:-?[0-9a-f]{4}){7}$/i;

export function uuid(): Field {
  return field((value) =>
    typeof value === "string" && canonicalUuid(value) !== null ? FINE : fault("must be a UUID"),
  );
}

/** The canonical form of any UUID syntax that PostgreSQL accepts; null for anything else. */
export function canonicalUuid(value: string): string | null {
  const bare = value.startsWith("{") && value.endsWith("}") ? value.slice(1, -1) : value;
  if (!UUID.test(bare)) return null;
  const digits = bare.replaceAll("-", "").toLowerCase();
  return [
    [0, 8],
    [8, 12],
    [12, 16],
    [16, 20],
    [20, 32],
  ]
    .map(([from, to]) => digits.slice(from, to))
    .join("-");
}
