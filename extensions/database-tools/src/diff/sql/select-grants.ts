import { inAppSchema, isLoose, relationKey } from "./own-objects.ts";

interface GrantSource {
  readonly from: string;
  readonly acl: string;
  readonly owner: string;
  /** The letter of acldefault(). */
  readonly letter: string;
  /** The words of GRANT … ON. */
  readonly on: string;
  readonly parent: string;
  readonly condition: string;
}

const SOURCES: readonly GrantSource[] = [
  {
    from: "pg_namespace",
    acl: "nspacl",
    owner: "nspowner",
    letter: "n",
    on: "'schema ' || quote_ident(o.nspname)",
    parent: "'schema ' || quote_ident(o.nspname)",
    condition: inAppSchema("o.oid"),
  },
  {
    from: "pg_class",
    acl: "relacl",
    owner: "relowner",
    letter: "r",
    on: "'table ' || o.oid::regclass",
    parent: relationKey("o"),
    condition: `o.relkind in ('r', 'p', 'v', 'm') and o.relpersistence <> 't' and ${inAppSchema("o.relnamespace")} and ${isLoose("o.oid", "pg_class")}`,
  },
  {
    from: "pg_class",
    acl: "relacl",
    owner: "relowner",
    letter: "s",
    on: "'sequence ' || o.oid::regclass",
    parent: "'sequence ' || o.oid::regclass",
    condition: `o.relkind = 'S' and ${inAppSchema("o.relnamespace")} and ${isLoose("o.oid", "pg_class")}
      and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = o.oid and d.deptype = 'i')`,
  },
  {
    from: "pg_proc",
    acl: "proacl",
    owner: "proowner",
    letter: "f",
    on: "case o.prokind when 'p' then 'procedure ' else 'function ' end || o.oid::regprocedure",
    parent: "'function ' || o.oid::regprocedure",
    condition: `o.prokind in ('f', 'p', 'w') and ${inAppSchema("o.pronamespace")} and ${isLoose("o.oid", "pg_proc")}`,
  },
  {
    from: "pg_type",
    acl: "typacl",
    owner: "typowner",
    letter: "T",
    on: "'type ' || o.oid::regtype",
    parent: "case o.typtype when 'd' then 'domain ' else 'type ' end || o.oid::regtype",
    condition: `o.typacl is not null and o.typtype in ('e', 'd', 'c', 'r') and ${inAppSchema("o.typnamespace")} and ${isLoose("o.oid", "pg_type")}`,
  },
];

const COLUMN_GRANTS = `
  select format('column %s.%I', c.oid::regclass, a.attname) as parent, 'table ' || c.oid::regclass as on_what, g.grantee, g.is_grantable,
    array_agg(format('%s (%I)', lower(g.privilege_type), a.attname) order by g.privilege_type) as rights, quote_ident(a.attname) as part
  from pg_attribute a join pg_class c on c.oid = a.attrelid cross join lateral aclexplode(a.attacl) g
  where g.grantee <> c.relowner and ${inAppSchema("c.relnamespace")} and ${isLoose("c.oid", "pg_class")}
  group by c.oid, a.attname, g.grantee, g.is_grantable`;

/** One item for each object and role. */
export function selectGrants(): string {
  const sources = SOURCES.map(
    ({ from, acl, owner, letter, on, parent, condition }) => `
  select ${parent} as parent, ${on} as on_what, g.grantee, g.is_grantable, array_agg(lower(g.privilege_type) order by g.privilege_type) as rights, '' as part
  from ${from} o cross join lateral aclexplode(coalesce(o.${acl}, acldefault('${letter}', o.${owner}))) g
  where g.grantee <> o.${owner} and ${condition} group by o.oid, g.grantee, g.is_grantable, 1, 2`,
  );
  return `
  select 'grant' as kind, concat_ws(' ', 'grant', nullif(part, ''), 'on', on_what, 'to', grantee) || option as key, parent,
    format('grant %s on %s to %s%s', array_to_string(rights, ', '), on_what, grantee, option) as text,
    format('revoke %s on %s from %s', array_to_string(rights, ', '), on_what, grantee) as undo,
    jsonb_build_object('rights', rights, 'on', on_what, 'to', grantee || option) as extra
  from (select held.parent, held.on_what, held.rights, held.part, case held.grantee when 0 then 'public' else quote_ident(pg_get_userbyid(held.grantee)) end as grantee,
      case when held.is_grantable then ' with grant option' else '' end as option
    from (${[...sources, COLUMN_GRANTS].join("\nunion all")}) as held) as named`;
}
