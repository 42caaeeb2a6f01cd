import type { QualifiedName } from "../catalogue/catalogue.ts";
import { restError } from "../rest-error.ts";

/** PostgreSQL truncates longer names silently. */
export const MAX_IDENTIFIER_BYTES = 63;

/** Type names of the SQL grammar; quoted they would be unknown, or another type. */
const SQL_TYPES = /^(?:bigint|bit(?: varying)?|boolean|char|character|double precision|integer|numeric|real|smallint)$/;
const SQL_SYNONYMS: ReadonlyMap<string, string> = new Map([
  ["char varying", "varchar"],
  ["character varying", "varchar"],
  ["dec", "numeric"],
  ["decimal", "numeric"],
  ["float", "double precision"],
  ["int", "integer"],
  ["time with time zone", "timetz"],
  ["time without time zone", "time"],
  ["timestamp with time zone", "timestamptz"],
  ["timestamp without time zone", "timestamp"],
]);

export function quoteIdentifier(name: string): string {
  if (name === "" || name.includes("\0") || Buffer.byteLength(name) > MAX_IDENTIFIER_BYTES) throw badNameError(name);
  return `"${name.replaceAll('"', '""')}"`;
}

export function quoteName({ schema, name }: QualifiedName): string {
  return `${quoteIdentifier(schema)}.${quoteIdentifier(name)}`;
}

export function quoteLiteral(text: string): string {
  if (text.includes("\0")) throw badNameError(text);
  const quoted = `'${text.replaceAll("'", "''")}'`;
  // Without the E the meaning of a backslash depends on a setting.
  return text.includes("\\") ? ` E${quoted.replaceAll("\\", "\\\\")}` : quoted;
}

/** The type of a cast. As in SQL, unquoted names are lower case. */
export function quoteCast(cast: string): string {
  const name = cast.trim().toLowerCase();
  const type = name.replaceAll(/\s+/g, " ");
  return SQL_TYPES.test(type) ? type : (SQL_SYNONYMS.get(type) ?? quoteIdentifier(name));
}

function badNameError(name: string): Error {
  return restError("PGRST100", "A name is empty, has a NUL in it or is too long", {
    details: `Names have up to ${MAX_IDENTIFIER_BYTES} bytes; this one starts with "${name.slice(0, 20).replaceAll("\0", "")}".`,
  });
}
