import type { Ask } from "./ask.ts";

/** A kind of grant: its keyword in GRANT … ON, and the catalogue with the access list. */
interface GrantSource {
  readonly acl: string;
  readonly owner: string;
  readonly from: string;
  /** The letter of acldefault(), for objects without an explicit access list. */
  readonly defaults: "n" | "f" | "r" | "s";
  /** SQL expression for the object after ON. */
  readonly on: string;
}

const OBJECTS: readonly GrantSource[] = [
  { acl: "nspacl", owner: "nspowner", from: "pg_namespace", defaults: "n", on: "'schema ' || o.nspname" },
  {
    acl: "proacl",
    owner: "proowner",
    from: "pg_proc",
    defaults: "f",
    on: "'function ' || o.oid::regprocedure",
  },
  {
    acl: "relacl",
    owner: "relowner",
    from: "(select * from pg_class where relkind in ('r', 'p', 'v', 'm'))",
    defaults: "r",
    on: "'table ' || o.oid::regclass",
  },
  {
    acl: "relacl",
    owner: "relowner",
    from: "(select * from pg_class where relkind = 'S')",
    defaults: "s",
    on: "'sequence ' || o.oid::regclass",
  },
];

/** PostgreSQL's own objects have small ids; the schema public is one of them but belongs to us. */
function isNotBuiltIn(oid: string): string {
  return `(${oid} >= 16384 or ${oid} = to_regnamespace('public'))`;
}

/** All privileges of roles other than the owner, as statements by object id. */
export async function readGrants(ask: Ask): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = await ask<{ key: string; statement: string }>(
    `${OBJECTS.map(selectGrants).join("\nunion all\n")}\nunion all\n${COLUMN_GRANTS}\norder by key, statement`,
  );
  const byObject = new Map<string, string[]>();
  for (const { key, statement } of rows) byObject.set(key, [...(byObject.get(key) ?? []), statement]);
  return byObject;
}

function selectGrants({ acl, owner, from, defaults, on }: GrantSource): string {
  return `select held.key, format('grant %s on %s to %s%s;', held.rights, held.target,
      string_agg(held.grantee, ', ' order by held.grantee), case when held.is_grantable then ' with grant option' else '' end) as statement
  from (
    select o.oid::text as key, ${on} as target, a.is_grantable, coalesce(quote_ident(r.rolname), 'public') as grantee,
      string_agg(lower(a.privilege_type), ', ' order by a.privilege_type) as rights
    from ${from} o
    cross join lateral aclexplode(coalesce(o.${acl}, acldefault('${defaults}', o.${owner}))) a
    left join pg_roles r on r.oid = a.grantee
    where a.grantee <> o.${owner} and ${isNotBuiltIn("o.oid")}
    group by 1, 2, 3, 4) as held
  group by held.key, held.target, held.rights, held.is_grantable`;
}

const COLUMN_GRANTS = `select c.oid::text as key,
    format('grant %s (%I) on table %s to %s%s;', lower(a.privilege_type), att.attname, c.oid::regclass,
      string_agg(coalesce(quote_ident(r.rolname), 'public'), ', ' order by r.rolname),
      case when a.is_grantable then ' with grant option' else '' end)
  from pg_attribute att
  join pg_class c on c.oid = att.attrelid
  cross join lateral aclexplode(att.attacl) a
  left join pg_roles r on r.oid = a.grantee
  where a.grantee <> c.relowner and ${isNotBuiltIn("c.oid")}
  group by c.oid, a.privilege_type, att.attname, a.is_grantable`;
