import type { ClientBase } from "pg";
import { REPLICA_ROLE, ROLES } from "../plan-roles.ts";
import { getOnlyRow } from "./get-only-row.ts";

export interface ServerHealth {
  /** Transactions that have been open for longer than the given time. */
  readonly longTransactions: readonly { readonly pid: number; readonly seconds: number; readonly what: string }[];
  readonly preparedTransactions: number;
  /** Slots without a reader. They keep the WAL from being removed. */
  readonly idleSlots: readonly { readonly name: string; readonly keptBytes: number }[];
  readonly missingRoles: readonly string[];
  /** Rights that a login which serves requests must not have, in words. */
  readonly excessiveRights: readonly string[];
  readonly canReplicaReplicate: boolean;
}

/** As an administrator. */
export async function selectServerHealth(client: ClientBase, longTransactionSeconds: number): Promise<ServerHealth> {
  const { rows } = await client.query<ServerHealth>(
    `select
       coalesce((select json_agg(json_build_object('pid', pid, 'seconds', floor(extract(epoch from now() - xact_start)),
                   'what', concat_ws(', ', nullif(application_name, ''), usename, state)) order by xact_start)
                 from pg_catalog.pg_stat_activity
                 where xact_start < now() - $3 * interval '1 second' and backend_type = 'client backend'
                   and pid <> pg_backend_pid()), '[]') as "longTransactions",
       (select count(*)::int from pg_catalog.pg_prepared_xacts) as "preparedTransactions",
       coalesce((select json_agg(json_build_object('name', slot_name,
                   'keptBytes', coalesce(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn), 0)) order by slot_name)
                 from pg_catalog.pg_replication_slots where not active and not temporary), '[]') as "idleSlots",
       array(select wanted from unnest($1::text[]) as wanted
             where not exists (select from pg_catalog.pg_roles where rolname = wanted)) as "missingRoles",
       array(select rolname || ' is a superuser' from pg_catalog.pg_roles where rolname = any ($1) and rolsuper
             union all
             select rolname || ' passes all row-level rules' from pg_catalog.pg_roles
             where rolname in ('anon', 'authenticated', 'api_key', 'sb_user', 'sb_service', 'sb_hook') and rolbypassrls and not rolsuper
             union all
             select 'sb_user may become service_role' from pg_catalog.pg_roles member, pg_catalog.pg_roles role
             where member.rolname = 'sb_user' and role.rolname = 'service_role' and not member.rolsuper
               and pg_has_role(member.oid, role.oid, 'member')
             union all
             select rolname || ' may replicate, and so read every row' from pg_catalog.pg_roles
             where rolname in ('sb_user', 'sb_service', 'sb_hook', 'anon', 'authenticated', 'api_key') and rolreplication) as "excessiveRights",
       coalesce((select rolreplication or rolsuper from pg_catalog.pg_roles where rolname = $2), false) as "canReplicaReplicate"`,
    [ROLES, REPLICA_ROLE, longTransactionSeconds],
  );
  return getOnlyRow(rows);
}
