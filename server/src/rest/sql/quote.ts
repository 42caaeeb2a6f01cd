import type { QualifiedName } from "../catalogue/catalogue.ts";
import { restError } from "../rest-error.ts";

/** PostgreSQL truncates longer names silently. */
export const MAX_IDENTIFIER_BYTES = 63;

/** Type names of the SQL grammar; quoted they would be unknown, or another type. */
const SQL_TYPES: ReadonlyMap<string, string> = new Map([
  ["bigint", "bigint"],
  ["bit", "bit"],
  ["bit varying", "bit varying"],
  ["boolean", "boolean"],
  ["char", "char"],
  ["char varying", "varchar"],
  ["character", "character"],
  ["character varying", "varchar"],
  ["dec", "numeric"],
  ["decimal", "numeric"],
  ["double precision", "double precision"],
  ["float", "double precision"],
  ["int", "integer"],
  ["integer", "integer"],
  ["numeric", "numeric"],
  ["real", "real"],
  ["smallint", "smallint"],
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
  const known = SQL_TYPES.get(name.replaceAll(/\s+/g, " "));
  return known ?? quoteIdentifier(name);
}

function badNameError(name: string): Error {
  return restError("PGRST100", "A name is empty, has a NUL in it or is too long", {
    details: `Names have up to ${MAX_IDENTIFIER_BYTES} bytes; this one starts with "${name.slice(0, 20).replaceAll("\0", "")}".`,
  });
}
