/** Errors of statements that were made from an outdated catalogue. */
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

/** Whether an outdated catalogue may have caused the SQLSTATE. */
export function isStaleSign(sqlState: string): boolean {
  return STALE_STATES.has(sqlState);
}

/** Errors of values that do not fit a type; types of parameters come from the catalogue. */
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
