import { CALLER_ROLES, SETTING_SCOPES } from "./exposed.ts";

/**
 * A hash of everything that a catalogue is built from. Each row contributes its ctid and xmin, which any change replaces and which
 * freezing and statistics keep. Built-in objects, whose ids are lower, change only with the server.
 */
const SOURCES = [
  ["pg_class", "t.oid >= 16384 and t.relkind in ('r', 'p', 'v', 'm', 'f', 'c')"],
  ["pg_attribute", "t.attrelid >= 16384"],
  ["pg_attrdef", "t.oid >= 16384"],
  ["pg_cast", "t.oid >= 16384"],
  ["pg_constraint", "t.oid >= 16384"],
  ["pg_db_role_setting", `t.setrole = any (${CALLER_ROLES}) and t.setdatabase = any (${SETTING_SCOPES})`],
  ["pg_description", "t.objoid >= 16384 or t.classoid = 'pg_namespace'::regclass"],
  ["pg_enum", "t.oid >= 16384"],
  ["pg_namespace", "true"],
  ["pg_proc", "t.oid >= 16384"],
  ["pg_rewrite", "t.oid >= 16384"],
  ["pg_trigger", "t.oid >= 16384 and not t.tgisinternal"],
  ["pg_type", "t.oid >= 16384"],
] as const;

export function selectFingerprint(): string {
  const sums = SOURCES.map(
    ([table, condition]) =>
      `select sum(hashint8extended((t.xmin::text::int8 << 31) # t.tableoid::int8, hashtidextended(t.ctid, 0)))::text as part
       from pg_catalog.${table} t where ${condition}`,
  );
  return `select string_agg(coalesce(part, '-'), ' ') as found from (${sums.join("\n  union all\n  ")}) as sums`;
}
