export const FOREIGN_STATEMENT = "foreign";

/**
 * Like `discard all`, but keeps our prepared statements. Returns a row when foreign SQL has prepared statements: one of them
 * could have a name of ours, so the connection is not used again.
 */
export const RESET_CONNECTION = `
  reset session authorization;
  reset all;
  close all;
  unlisten *;
  select pg_catalog.pg_advisory_unlock_all();
  discard temp;
  discard sequences;
  select '${FOREIGN_STATEMENT}' from pg_catalog.pg_prepared_statements where from_sql limit 1`;
