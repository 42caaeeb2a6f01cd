import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { keepPartitions } from "../../server/src/db/index.ts";
import { PARTITIONED_TABLES } from "../../server/src/webhooks/sql/partitioned-tables.ts";
import { silentObserver } from "../../server/test/support/silent-observer.ts";
import type { Volume } from "./open-volume.ts";

const RETENTION_MS = 30 * 86_400_000;
const PROBE_MS = 5;
const SINGLE_ROWS = 5_000;
const QUIET_MS = 5_000;

/** Drops the week that is due, while a client writes all the time, and describes what it took. */
export async function measureRetention({ connect, service }: Volume): Promise<string> {
  const owner = await connect();
  const due = await owner.query<{ rows: string; bytes: string }>(
    `select reltuples::bigint as rows, pg_total_relation_size(oid) as bytes from pg_class
     where oid = (select partition from private.list_partitions('public.webhook_deliveries') where lower_id is null)`,
  );
  const single = await readWal(owner);
  await owner.query("begin");
  await owner.query(
    "select private.prune_webhook_rows('public.webhook_deliveries', interval '30 days', '00000000-0000-0000-0000-000000000000', $1)",
    [SINGLE_ROWS],
  );
  const singleBytes = (await readWal(owner)) - single;
  await owner.query("rollback");
  const pool = new pg.Pool({ connectionString: service.databaseUrl });
  const writer = await connect();
  const waits: number[] = [];
  let isDone = false;
  const sampling = sampleWaits(await connect(), await readPid(writer), () => isDone);
  const probing = (async () => {
    while (!isDone) {
      const start = performance.now();
      await writer.query(
        `with w as (update public.webhooks set updated_at = now() where id = (select id from public.webhooks limit 1) returning id, user_id)
         insert into public.webhook_deliveries (webhook_id, user_id, event_id, event_type, payload)
         select id, user_id, private.new_id(), 'agent.created', '{}' from w`,
      );
      waits.push(performance.now() - start);
      await sleep(PROBE_MS);
    }
  })();
  await sleep(QUIET_MS);
  const quiet = waits.splice(0);
  const wal = await readWal(owner);
  const start = performance.now();
  const [table] = PARTITIONED_TABLES;
  if (table === undefined) throw new Error("there is no partitioned table");
  await keepPartitions(
    { pool, ownerUrl: service.databaseUrl, observer: silentObserver, minBytes: Infinity },
    table,
    RETENTION_MS,
  );
  const took = performance.now() - start;
  const walBytes = (await readWal(owner)) - wal;
  isDone = true;
  await probing;
  const lockWaits = await sampling;
  await pool.end();
  const left = await owner.query(
    "select from private.list_partitions('public.webhook_deliveries') where lower_id is null",
  );
  if (left.rows.length > 0) throw new Error("the old partition was not dropped");
  const { rows, bytes } = due.rows[0] ?? { rows: "0", bytes: "0" };
  return (
    `Dropping ${Number(rows).toLocaleString("en")} deliveries (${(Number(bytes) / 2 ** 20).toFixed(0)} MiB) took ${took.toFixed(0)} ms and wrote ` +
    `${(walBytes / 1024).toFixed(0)} KiB to the log. The median of ${waits.length} writes meanwhile took ${medianOf(waits).toFixed(1)} ms, the slowest ${Math.max(0, ...waits).toFixed(1)} ms, ` +
    `in the five seconds before ${medianOf(quiet).toFixed(1)} and ${Math.max(...quiet).toFixed(1)} ms. ${lockWaits} Deleting ${SINGLE_ROWS} of them one by one writes ${(singleBytes / 1024).toFixed(0)} KiB.`
  );
}

/** What the backend of the writer waits for, as often as it can be asked. */
async function sampleWaits(client: pg.Client, pid: number, isDone: () => boolean): Promise<string> {
  const counts = new Map<string, number>();
  let samples = 0;
  while (!isDone()) {
    const { rows } = await client.query<{ type: string }>({
      name: "wait-of-writer",
      text: "select wait_event_type as type from pg_stat_activity where pid = $1 and state = 'active' and wait_event_type is not null",
      values: [pid],
    });
    samples += 1;
    for (const { type } of rows) counts.set(type, (counts.get(type) ?? 0) + 1);
    await sleep(1);
  }
  const share = (type: string): string => `${type} ${(counts.get(type) ?? 0).toLocaleString("en")}`;
  const others = [...counts.keys()].filter((type) => type !== "Lock").map(share);
  return `In ${samples.toLocaleString("en")} samples the writer waited for: ${[share("Lock"), ...others].join(", ")}.`;
}

async function readPid(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  return rows[0]?.pid ?? 0;
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}

async function readWal(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ position: string }>(
    "select pg_current_wal_insert_lsn() - '0/0'::pg_lsn as position",
  );
  return Number(rows[0]?.position);
}
