import type { ClientBase } from "pg";
import { OWNER_ROLE, OWN_SCHEMAS, ROLES } from "../plan-roles.ts";
import { getOnlyRow } from "./get-only-row.ts";

export interface ServerProperties {
  readonly versionNumber: number;
  readonly version: string;
  readonly encoding: string;
  readonly isStandby: boolean;
  /** The default of a transaction. */
  readonly isReadOnly: boolean;
  readonly isJitOn: boolean;
  /** Without those that are reserved for administrators. */
  readonly maxConnections: number;
  readonly nowMs: number;
  readonly role: string;
  readonly database: string;
  readonly isSuperuser: boolean;
  readonly canCreateRoles: boolean;
  readonly canReplicate: boolean;
  readonly canCreateInDatabase: boolean;
  readonly canGrantOnPublic: boolean;
  readonly ownsDatabase: boolean;
  readonly canEverybodyMakeTemporaryTables: boolean;
  /** Roles of ours that do not exist. */
  readonly missingRoles: readonly string[];
  /** Null while there is no owner role yet. */
  readonly canBecomeOwner: boolean | null;
  /** Schemas of ours that belong to another role than the owner. */
  readonly foreignSchemas: readonly { readonly name: string; readonly owner: string }[];
  readonly walLevel: string;
  readonly maxWalSenders: number;
  readonly maxReplicationSlots: number;
}

export async function selectServerProperties(client: ClientBase): Promise<ServerProperties> {
  const { rows } = await client.query<ServerProperties>(
    `select pg_catalog.current_setting('server_version_num')::int as "versionNumber",
            pg_catalog.current_setting('server_version') as "version",
            pg_catalog.current_setting('server_encoding') as "encoding",
            pg_catalog.pg_is_in_recovery() as "isStandby",
            pg_catalog.current_setting('transaction_read_only') = 'on' as "isReadOnly",
            pg_catalog.current_setting('jit') = 'on' and pg_catalog.pg_jit_available() as "isJitOn",
            pg_catalog.current_setting('max_connections')::int
              - pg_catalog.current_setting('superuser_reserved_connections')::int
              - coalesce(pg_catalog.current_setting('reserved_connections', true)::int, 0) as "maxConnections",
            (extract(epoch from pg_catalog.clock_timestamp()) * 1000)::float8 as "nowMs",
            current_user::text as "role",
            pg_catalog.current_database()::text as "database",
            me.rolsuper as "isSuperuser",
            me.rolsuper or me.rolcreaterole as "canCreateRoles",
            me.rolsuper or me.rolreplication as "canReplicate",
            pg_catalog.has_database_privilege(pg_catalog.current_database(), 'CREATE') as "canCreateInDatabase",
            coalesce((select pg_catalog.has_schema_privilege(oid, 'USAGE WITH GRANT OPTION')
                         and pg_catalog.has_schema_privilege(oid, 'CREATE WITH GRANT OPTION')
                        from pg_catalog.pg_namespace where nspname = 'public'), false) as "canGrantOnPublic",
            (select pg_catalog.pg_has_role(datdba, 'USAGE') from pg_catalog.pg_database
              where datname = pg_catalog.current_database()) as "ownsDatabase",
            exists (select from pg_catalog.pg_database as d,
                           pg_catalog.aclexplode(coalesce(d.datacl, pg_catalog.acldefault('d', d.datdba))) as acl
                     where d.datname = pg_catalog.current_database()
                       and acl.grantee = 0
                       and acl.privilege_type = 'TEMPORARY') as "canEverybodyMakeTemporaryTables",
            array(select wanted from pg_catalog.unnest($1::text[]) as wanted
                   where not exists (select from pg_catalog.pg_roles where rolname = wanted)) as "missingRoles",
            (select pg_catalog.pg_has_role(oid, 'MEMBER') from pg_catalog.pg_roles where rolname = $2) as "canBecomeOwner",
            coalesce((select pg_catalog.json_agg(pg_catalog.json_build_object(
                               'name', nspname, 'owner', pg_catalog.pg_get_userbyid(nspowner)) order by nspname)
                        from pg_catalog.pg_namespace
                       where nspname = any($3::text[])
                         and pg_catalog.pg_get_userbyid(nspowner) <> $2), '[]'::json) as "foreignSchemas",
            pg_catalog.current_setting('wal_level') as "walLevel",
            pg_catalog.current_setting('max_wal_senders')::int as "maxWalSenders",
            pg_catalog.current_setting('max_replication_slots')::int as "maxReplicationSlots"
       from pg_catalog.pg_roles as me
      where me.rolname = current_user`,
    [ROLES, OWNER_ROLE, OWN_SCHEMAS],
  );
  return getOnlyRow(rows);
}
