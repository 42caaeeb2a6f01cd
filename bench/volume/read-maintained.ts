import type pg from "pg";

/** What autovacuum counts of one table. */
export interface Maintained {
  readonly name: string;
  readonly partition: string;
  readonly rows: number;
  /** Rows that were updated or deleted. */
  readonly replaced: number;
  readonly vacuums: number;
  readonly vacuumMs: number;
  readonly dead: number;
  /** Autovacuum is due with more dead rows than this. */
  readonly dueAtDead: number;
  readonly bytes: number;
  readonly pages: number;
}

/** The tables of the queue, and today's partitions of the others. */
export async function readMaintained(owner: pg.Client): Promise<readonly Maintained[]> {
  const { rows } = await owner.query<Maintained>({
    name: "maintained",
    text: `with today as (
       select parent.name, p.partition as relid
       from unnest(array['webhook_deliveries', 'webhook_delivery_attempts']) as parent (name)
       cross join lateral private.list_partitions(('public.' || parent.name)::regclass) p
       where coalesce(p.lower_id <= private.get_first_id(now()), true) and coalesce(p.upper_id > private.get_first_id(now()), true)
       union all
       select parent.name, ('private.' || parent.name)::regclass
       from unnest(array['events', 'webhook_queue', 'webhook_endpoint_queues']) as parent (name)),
     options as (
       select today.relid, o.option_name as name, o.option_value::float8 as value
       from today join pg_class c on c.oid = today.relid cross join lateral pg_options_to_table(c.reloptions) o
       where o.option_name in ('autovacuum_vacuum_threshold', 'autovacuum_vacuum_scale_factor'))
     select today.name, today.relid::text as partition, c.reltuples::float8 as rows,
       (s.n_tup_upd + s.n_tup_del)::float8 as replaced, s.autovacuum_count::float8 as vacuums,
       s.total_autovacuum_time as "vacuumMs", s.n_dead_tup::float8 as dead, pg_table_size(s.relid)::float8 as bytes,
       c.relpages as pages,
       coalesce((select value from options where relid = c.oid and name = 'autovacuum_vacuum_threshold'),
         current_setting('autovacuum_vacuum_threshold')::float8)
       + coalesce((select value from options where relid = c.oid and name = 'autovacuum_vacuum_scale_factor'),
         current_setting('autovacuum_vacuum_scale_factor')::float8) * greatest(c.reltuples, 0) as "dueAtDead"
     from today join pg_stat_all_tables s on s.relid = today.relid join pg_class c on c.oid = today.relid order by 1`,
  });
  return rows;
}
