import type { Ask } from "./ask.ts";

const OURS = [
  "anon",
  "api_key",
  "authenticated",
  "sb_hook",
  "sb_replica",
  "sb_service",
  "sb_user",
  "service_role",
  "swarmbase_owner",
];

/** Roles belong to the whole server; these are the ones that the schema uses, with their memberships. */
export async function renderRoles(ask: Ask): Promise<string[]> {
  const roles = await ask<{ statement: string }>(
    `select format('create role %I %s%s;', rolname, concat_ws(' ',
         case when rolcanlogin then 'login' else 'nologin' end, case when rolinherit then 'inherit' else 'noinherit' end,
         case when rolsuper then 'superuser' end, case when rolcreatedb then 'createdb' end,
         case when rolcreaterole then 'createrole' end, case when rolreplication then 'replication' end,
         case when rolbypassrls then 'bypassrls' end, case when rolconnlimit <> -1 then 'connection limit ' || rolconnlimit end),
         coalesce((select string_agg(format(E';\\nalter role %I set %s', rolname, setting), '' order by setting)
                   from unnest(rolconfig) as setting), '')) as statement
     from pg_roles where rolname = any ($1) order by rolname`,
    [OURS],
  );
  const memberships = await ask<{ statement: string }>(
    `select format('grant %s to %s with %s;', role.rolname, member.rolname, concat_ws(', ',
         'inherit ' || m.inherit_option, 'set ' || m.set_option, case when m.admin_option then 'admin true' end)) as statement
     from pg_auth_members m
     join pg_roles role on role.oid = m.roleid
     join pg_roles member on member.oid = m.member
     where role.rolname = any ($1) or member.rolname = any ($1)
     order by role.rolname, member.rolname, m.oid`,
    [OURS],
  );
  return [[...roles, ...memberships].map(({ statement }) => statement).join("\n")];
}
