/** What a statement fails with when it was made from a catalogue that is no longer true. */
const STALE_STATES: ReadonlySet<string> = new Set([
  "3F000", // invalid_schema_name
  "428C9", // generated_always
  "42703", // undefined_column
  "42704", // undefined_object, such as a type
  "42725", // ambiguous_function
  "42804", // datatype_mismatch
  "42809", // wrong_object_type
  "42846", // cannot_coerce
  "42883", // undefined_function
  "42P01", // undefined_table
  "42P10", // invalid_column_reference: no such unique constraint for a conflict
]);

/** Whether it is worth asking for a fresh catalogue before the error of this SQLSTATE is believed. */
export function isStaleSign(sqlState: string): boolean {
  return STALE_STATES.has(sqlState);
}
