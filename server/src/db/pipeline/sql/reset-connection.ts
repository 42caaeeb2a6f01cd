export const FOREIGN_STATEMENT = "foreign";

/**
 * What `discard all` does, but for the prepared statements: ours are kept, and a row tells that somebody else's are there.
 * A name of ours could stand for a statement of theirs, so such a connection is not used again.
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
