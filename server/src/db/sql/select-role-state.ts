import type { ClientBase } from "pg";
import { OWNER_ROLE, REPLICA_ROLE, ROLES, type RoleState } from "../plan-roles.ts";
import { getOnlyRow } from "./get-only-row.ts";

export async function selectRoleState(client: ClientBase): Promise<RoleState> {
  const { rows } = await client.query<RoleState>(
    `select
       current_database() as "database",
       (select rolsuper from pg_catalog.pg_roles where rolname = current_user) as "isSuperuser",
       current_setting('server_version_num')::int as "versionNumber",
       array(select rolname::text from pg_catalog.pg_roles where rolname = any ($1)) as "existing",
       coalesce((select pg_catalog.pg_has_role(current_user, oid, case when current_setting('server_version_num')::int >= 160000 then 'set' else 'member' end)
                 from pg_catalog.pg_roles where rolname = $2), false) as "canBecomeOwner",
       coalesce((select rolbypassrls from pg_catalog.pg_roles where rolname = 'service_role'), false) as "isServiceRoleBypassing",
       array(select member.rolname || '>' || role.rolname
             from pg_catalog.pg_auth_members m
             join pg_catalog.pg_roles member on member.oid = m.member
             join pg_catalog.pg_roles role on role.oid = m.roleid
             where member.rolname = any ($1)) as "memberships",
       coalesce((select pg_catalog.has_database_privilege(oid, current_database(), 'create')
                 from pg_catalog.pg_roles where rolname = $2), false) as "canOwnerCreateSchemas",
       coalesce((select pg_catalog.has_schema_privilege(oid, 'public', 'create with grant option')
                 from pg_catalog.pg_roles where rolname = $2), false) as "canOwnerCreateInPublic",
       (select pg_catalog.pg_has_role(datdba, 'USAGE') from pg_catalog.pg_database
        where datname = current_database()) as "ownsDatabase",
       exists (select 1 from pg_catalog.pg_database d,
                 pg_catalog.aclexplode(coalesce(d.datacl, pg_catalog.acldefault('d', d.datdba))) acl
               where d.datname = current_database() and acl.grantee = 0 and acl.privilege_type = 'TEMPORARY')
         as "canEverybodyMakeTemporaryTables",
       (select rolsuper or rolcreaterole from pg_catalog.pg_roles where rolname = current_user) as "canCreateRoles",
       coalesce((select rolreplication from pg_catalog.pg_roles where rolname = $3), false) as "isReplicaReplicating",
       (select rolsuper
            or (current_setting('server_version_num')::int >= 160000 and rolcreaterole and rolreplication
                and coalesce((select pg_catalog.pg_has_role(current_user, oid, 'MEMBER WITH ADMIN OPTION')
                              from pg_catalog.pg_roles where rolname = $3), true))
        from pg_catalog.pg_roles where rolname = current_user) as "canGiveReplication"`,
    [[...ROLES, REPLICA_ROLE], OWNER_ROLE, REPLICA_ROLE],
  );
  return getOnlyRow(rows);
}
