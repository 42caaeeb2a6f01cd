/** For `Prefer: timezone=…`; the database rejects a zone that it does not know. */
export const SET_TIMEZONE = "select pg_catalog.set_config('timezone', $1, true)";

export const UNSET_TIMEZONE = "set local timezone to default";

/** Clears the response settings of an earlier request. */
export const UNSET_ANSWER =
  "select pg_catalog.set_config('response.status', '', true), pg_catalog.set_config('response.headers', '', true)";

/** What foreign SQL has set for the response; null when empty. */
export const SELECT_ANSWER_SETTINGS = `select ${["response.status", "response.headers"]
  .map((name) => `nullif(pg_catalog.current_setting('${name}',true),'')`)
  .join(",")}`;
