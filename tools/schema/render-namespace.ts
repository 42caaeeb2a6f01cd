import type { Ask } from "./ask.ts";
import { OWNER, type Schema } from "./schema.ts";

/** The schema itself: its grants, and its default privileges. */
export async function renderNamespace(ask: Ask, { oid, name, owner, grants }: Schema): Promise<string[]> {
  const later = await ask<{ statement: string }>(
    `select format('alter default privileges for role %I%s grant %s on %s to %s;', granter.rolname,
         coalesce(' in schema ' || n.nspname, ''),
         string_agg(lower(a.privilege_type), ', ' order by a.privilege_type),
         case d.defaclobjtype when 'r' then 'tables' when 'S' then 'sequences' when 'f' then 'functions' when 'T' then 'types'
           when 'n' then 'schemas' else 'large objects' end,
         coalesce(quote_ident(r.rolname), 'public')) as statement
     from pg_default_acl d
     join pg_roles granter on granter.oid = d.defaclrole
     left join pg_namespace n on n.oid = d.defaclnamespace
     cross join lateral aclexplode(d.defaclacl) a
     left join pg_roles r on r.oid = a.grantee
     where d.defaclnamespace = $1
     group by granter.rolname, n.nspname, d.defaclobjtype, r.rolname
     order by 1`,
    [oid],
  );
  const lines = [
    `create schema ${name}${owner === OWNER ? "" : ` authorization ${owner}`};`,
    ...(grants.get(oid) ?? []),
    ...later.map(({ statement }) => statement),
  ];
  return [lines.join("\n")];
}

/** Default privileges of a role in all schemas; an empty list means that no other role gets any. */
export async function renderDefaultPrivileges(ask: Ask): Promise<string[]> {
  const rows = await ask<{ line: string }>(
    `select format('-- %s made by %s: %s', case d.defaclobjtype when 'f' then 'functions' when 'r' then 'tables' when 'S' then 'sequences'
         when 'T' then 'types' when 'n' then 'schemas' else 'large objects' end, granter.rolname,
         coalesce((select string_agg(coalesce(r.rolname, 'public') || ' ' || lower(a.privilege_type), ', ' order by r.rolname, a.privilege_type)
                   from aclexplode(d.defaclacl) a left join pg_roles r on r.oid = a.grantee), 'nobody')) as line
     from pg_default_acl d join pg_roles granter on granter.oid = d.defaclrole
     where d.defaclnamespace = 0 order by 1`,
  );
  return [["-- Default privileges, wherever an object is made.", ...rows.map(({ line }) => line)].join("\n")];
}
