/** Ends with the connection, which is that of one statement. */
export const BEGIN_READ_ONLY = "set statement_timeout = '30s'; begin transaction read only";
/** The statement is a transaction of its own. */
export const BEGIN_WRITES = "set statement_timeout = '30s'";

/** In a transaction, the first query also fixes whether it is read-only. */
export const IS_SUPERUSER = "select current_setting('is_superuser') = 'on' as is_superuser";
