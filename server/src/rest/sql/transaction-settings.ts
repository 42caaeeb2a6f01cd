import { quoteLiteral } from "./quote.ts";

/** For `Prefer: timezone=…`; the database rejects a zone that it does not know. */
export const SET_TIMEZONE = "select pg_catalog.set_config('timezone', $1, true)";

/** Calls a function without arguments, by its name as the settings have it. */
export function callFunction(name: string): string {
  return `select ${name}()`;
}

/** Sets each of the settings to the parameter at its place, until the transaction ends. */
export function setAll(names: readonly string[]): string {
  return `select ${names.map((name, index) => `pg_catalog.set_config(${quoteLiteral(name)}, $${index + 1}, true)`).join(", ")}`;
}

/** Fails with `SB208` when an earlier request has the key. */
export const CLAIM_KEY = "select private.claim_idempotency_key($1, $2)";

export const UNSET_TIMEZONE = "set local timezone to default";

/** Clears the response settings of an earlier request. */
export const UNSET_ANSWER =
  "select pg_catalog.set_config('response.status', '', true), pg_catalog.set_config('response.headers', '', true)";

/** What foreign SQL has set for the response; null when empty. */
export const SELECT_ANSWER_SETTINGS = `select ${["response.status", "response.headers"]
  .map((name) => `nullif(pg_catalog.current_setting('${name}',true),'')`)
  .join(",")}`;
