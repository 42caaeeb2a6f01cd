/** For `Prefer: timezone=…`; the database rejects a zone that it does not know. */
export const SET_TIMEZONE = "select pg_catalog.set_config('timezone', $1, true)";

export const UNSET_TIMEZONE = "set local timezone to default";

/** Clears the response settings of an earlier request. */
export const UNSET_ANSWER =
  "select pg_catalog.set_config('response.status', '', true), pg_catalog.set_config('response.headers', '', true)";
