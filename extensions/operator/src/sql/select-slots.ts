import type { Query } from "swarmbase/extension";

/** A reader of the changes of the database: the change feed of a node, or the archive of backups. */
interface SlotRow {
  readonly name: string;
  readonly use: "feed" | "backup" | "other";
  readonly is_active: boolean;
  /** How far the reader is behind the database. */
  readonly lag_bytes: number | null;
  /** What the database keeps on disk for the reader. */
  readonly kept_bytes: number | null;
}

/** Those of this database; physical ones belong to none. */
export function selectSlots(query: Query): Promise<readonly SlotRow[]> {
  return query<SlotRow>(
    `select s.slot_name::text as name,
            case when s.slot_name like 'swarmbase\\_backup\\_%' then 'backup'
                 when s.temporary and s.slot_name like 'swarmbase\\_%' then 'feed'
                 else 'other' end as use,
            s.active as is_active,
            pg_wal_lsn_diff(pg_current_wal_lsn(), coalesce(s.confirmed_flush_lsn, s.restart_lsn))::float8 as lag_bytes,
            pg_wal_lsn_diff(pg_current_wal_lsn(), s.restart_lsn)::float8 as kept_bytes
       from pg_replication_slots s
      where s.database is null or s.database = current_database()
      order by s.slot_name`,
  );
}
