import type { ClientBase } from "pg";
import type { Statement } from "../statement.ts";

/** Settings whose values are lists that PostgreSQL has quoted already. */
const LISTS = ["search_path", "datestyle", "local_preload_libraries", "session_preload_libraries", "temp_tablespaces"];

/** Roles, who may become whom, databases: what belongs to the whole server. Passwords travel as their verifiers. */
export async function selectClusterStatements(client: ClientBase): Promise<Statement[]> {
  // Columns that not every version has are read by way of JSON.
  const { rows } = await client.query<Statement>(
    `select 'role ' || rolname as key, format('create role %I %s', rolname, concat_ws(' ',
         case when rolsuper then 'superuser' else 'nosuperuser' end, case when rolinherit then 'inherit' else 'noinherit' end,
         case when rolcreaterole then 'createrole' end, case when rolcreatedb then 'createdb' end,
         case when rolcanlogin then 'login' else 'nologin' end, case when rolreplication then 'replication' end,
         case when rolbypassrls then 'bypassrls' end, 'connection limit ' || rolconnlimit,
         'password ' || quote_literal(rolpassword), 'valid until ' || quote_literal(rolvaliduntil))) as text
       from pg_authid where oid >= 16384
     union all
     select format('membership %s of %s', member.rolname, role.rolname), format('grant %I to %I%s', role.rolname, member.rolname,
         coalesce(' with ' || nullif(concat_ws(', ', case when m.admin_option then 'admin option' end,
           case when current_setting('server_version_num')::int >= 160000 then 'inherit ' || (to_jsonb(m) ->> 'inherit_option') end,
           case when current_setting('server_version_num')::int >= 160000 then 'set ' || (to_jsonb(m) ->> 'set_option') end), ''), ''))
       from pg_auth_members m join pg_roles role on role.oid = m.roleid join pg_roles member on member.oid = m.member
       where m.member >= 16384 or m.roleid >= 16384
     union all
     select 'database ' || datname, format('create database %I owner %I encoding %L template template0', datname,
         pg_get_userbyid(datdba), pg_encoding_to_char(encoding))
       from pg_database where not datistemplate and datname <> 'postgres'
     union all
     select 'rights on database ' || d.datname, format('revoke all on database %I from public, %I', d.datname, pg_get_userbyid(d.datdba))
         || coalesce((select string_agg(format('; grant %s on database %I to %s%s', lower(a.privilege_type), d.datname,
             case a.grantee when 0 then 'public' else quote_ident(pg_get_userbyid(a.grantee)) end,
             case when a.is_grantable then ' with grant option' else '' end), '' order by a.grantee, a.privilege_type)
           from aclexplode(d.datacl) a), '')
       from pg_database d where d.datacl is not null and not d.datistemplate and d.datname <> 'postgres'
     union all
     select format('setting %s of %s in %s', split_part(setting, '=', 1), coalesce(r.rolname, 'everybody'), coalesce(d.datname, 'every database')),
         format('alter %s%s set %s to %s', case when r.oid is null then 'database ' || quote_ident(d.datname) else 'role ' || quote_ident(r.rolname) end,
           case when r.oid is not null and d.oid is not null then ' in database ' || quote_ident(d.datname) else '' end,
           quote_ident(split_part(setting, '=', 1)),
           case when lower(split_part(setting, '=', 1)) = any ($1) then substr(setting, strpos(setting, '=') + 1)
                else quote_literal(substr(setting, strpos(setting, '=') + 1)) end)
       from pg_db_role_setting s cross join unnest(s.setconfig) as setting
       left join pg_roles r on r.oid = s.setrole left join pg_database d on d.oid = s.setdatabase
       where s.setrole <> 0 or s.setdatabase <> 0`,
    [LISTS],
  );
  return rows;
}

export async function selectDatabases(client: ClientBase): Promise<{ name: string; bytes: number }[]> {
  const { rows } = await client.query<{ name: string; bytes: number }>(
    `select datname as name, pg_database_size(oid)::float8 as bytes from pg_database
     where not datistemplate and datname <> 'postgres' order by 1`,
  );
  return rows;
}
