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

/** What a value fails with when it does not fit a type. Types of parameters are taken from the catalogue. */
const MISFIT_STATES: ReadonlySet<string> = new Set([
  "22001", // string_data_right_truncation
  "22003", // numeric_value_out_of_range
  "22007", // invalid_datetime_format
  "22008", // datetime_field_overflow
  "22P02", // invalid_text_representation
]);

export function isMisfit(sqlState: string): boolean {
  return MISFIT_STATES.has(sqlState);
}
