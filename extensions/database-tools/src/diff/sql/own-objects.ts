import { HISTORY_SCHEMA } from "../../db/sql/history.ts";

/** Schemas of the service, of PostgreSQL and of extensions of the service. What is in them is not the app's. */
export function inAppSchema(namespace: string): string {
  return `${namespace} not in (select oid from pg_catalog.pg_namespace
    where nspname in ('auth', 'partitions', 'private', 'realtime', 'information_schema', '${HISTORY_SCHEMA}') or nspname ~ '^(pg_|ext_)')`;
}

/** Tables whose policies and triggers may be the app's: its own, and those that apps add some to. */
export function isGuardedTable(relation: string): string {
  return `(${inAppSchema(`${relation}.relnamespace`)} or ${relation}.relnamespace in (select oid from pg_catalog.pg_namespace where nspname in ('auth', 'realtime')))
    and ${relation}.relpersistence <> 't' and ${isLoose(`${relation}.oid`, "pg_class")}`;
}

/** Not a part of an extension of PostgreSQL; of functions, also not one that comes with a type. */
export function isLoose(oid: string, catalogue: string): string {
  const kinds = catalogue === "pg_proc" ? "'e', 'i'" : "'e'";
  return `not exists (select from pg_catalog.pg_depend e
    where e.classid = 'pg_catalog.${catalogue}'::regclass and e.objid = ${oid} and e.deptype in (${kinds}))`;
}

export function relationKey(relation: string): string {
  return `case ${relation}.relkind when 'v' then 'view ' when 'm' then 'materialized view ' when 'S' then 'sequence ' else 'table ' end || ${relation}.oid::regclass`;
}
