import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import pg from "pg";
import { keepPartitions } from "../../server/src/db/index.ts";
import { joinPartitions } from "../../server/test/support/join-partitions.ts";
import { silentObserver } from "../../server/test/support/silent-observer.ts";
import { PARTITIONED_TABLES } from "../../server/src/webhooks/sql/partitioned-tables.ts";
import { openClosers } from "../load/closers.ts";
import { renderGrid } from "../report/table.ts";
import { createProgress } from "../rest/progress.ts";
import { startVersion, type User } from "../versions/start-version.ts";
import { fillDeliveries, fillMessages, type Owners, prepareOwners } from "./fill.ts";
import { measureClaim, measureDelete, measureLists } from "./measure.ts";

/** Compares lists, claims and retention of few and of many rows. Run: npm run bench:volume -- [--rows 20000000] */
const { values } = parseArgs({
  options: { rows: { type: "string", default: "2000000" }, few: { type: "string", default: "20000" } },
});
const [FEW, MANY] = [Number(values.few), Number(values.rows)];
const RETENTION_MS = 30 * 86_400_000;
const GOAL = 1.3;
const PROBE_MS = 5;
const SINGLE_ROWS = 5_000;

const progress = createProgress(process.stderr);
const closers = openClosers();
try {
  progress.stage("the service starts");
  const service = await startVersion({
    name: "the service",
    folder: resolve(import.meta.dirname, "../.."),
    // Retention is what is measured, so the service itself keeps everything.
    settings: { ALLOW_SIMULATED: "1", WEBHOOK_RETENTION_DAYS: "0" },
  });
  closers.add(() => service.stop());
  const owner = await connect(service.databaseUrl);
  const user = await service.signUp();
  const owners = await prepareOwners(owner, user.id);
  // As after weeks of service: four weeks that are kept, one that is due, and the next one.
  await joinPartitions(owner, "webhook_deliveries");
  for (const daysAgo of [31, 24, 17, 10, -7])
    await owner.query(
      "select private.close_last_partition('public.webhook_deliveries', private.get_first_id(now() - $1 * interval '1 day'))",
      [daysAgo],
    );
  const few = await measureAt(FEW, 0, { owner, user, owners });
  const many = await measureAt(MANY, FEW, { owner, user, owners });
  const retention = await measureRetention(owner, service.databaseUrl);
  progress.end();

  const names = Object.keys(few) as (keyof typeof few)[];
  print(
    renderGrid(
      [
        "PostgreSQL, µs of CPU",
        `${FEW.toLocaleString("en")} rows`,
        `${MANY.toLocaleString("en")} rows`,
        "ratio",
        "goal",
      ],
      names.map((name) => {
        const ratio = many[name] / few[name];
        const verdict = ratio <= GOAL ? "met" : "missed";
        return [name, few[name].toFixed(0), many[name].toFixed(0), ratio.toFixed(2), `≤ ${GOAL}, ${verdict}`];
      }),
    ),
  );
  print(`\n${retention}`);
} catch (error) {
  if (!closers.isClosing()) throw error;
} finally {
  await closers.closeAll();
}

interface Measured {
  readonly owner: pg.Client;
  readonly user: User;
  readonly owners: Owners;
}

async function measureAt(rows: number, present: number, { owner, user, owners }: Measured) {
  progress.stage(`${rows.toLocaleString("en")} deliveries`);
  await fillDeliveries(owner, owners, present, rows, (done) => progress.step(done));
  progress.stage(`${rows.toLocaleString("en")} messages`);
  await fillMessages(owner, owners, present, rows, (done) => progress.step(done));
  progress.stage("vacuum");
  await owner.query("vacuum analyze public.webhook_deliveries");
  await owner.query("vacuum analyze public.messages");
  await owner.query("checkpoint").catch(() => {});
  progress.stage(`measuring with ${rows.toLocaleString("en")}`);
  return {
    ...(await measureLists(owner, user.id, owners)),
    ...(await measureClaim(owner)),
    ...(await measureDelete(owner)),
  };
}

/** Drops the week that is due, while a client reads and writes all the time. */
async function measureRetention(owner: pg.Client, ownerUrl: string): Promise<string> {
  progress.stage("retention");
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
  const pool = new pg.Pool({ connectionString: ownerUrl });
  const waits: number[] = [];
  let isDone = false;
  const probing = (async () => {
    while (!isDone) {
      const start = performance.now();
      await pool.query(
        `with w as (update public.webhooks set updated_at = now() where id = (select id from public.webhooks limit 1) returning id, user_id)
         insert into public.webhook_deliveries (webhook_id, user_id, event_id, event_type, payload)
         select id, user_id, private.new_id(), 'agent.created', '{}' from w`,
      );
      waits.push(performance.now() - start);
      await sleep(PROBE_MS);
    }
  })();
  await sleep(5_000);
  const quiet = waits.splice(0);
  const wal = await readWal(owner);
  const start = performance.now();
  const [table] = PARTITIONED_TABLES;
  if (table === undefined) throw new Error("there is no partitioned table");
  await keepPartitions({ pool, ownerUrl, observer: silentObserver, minBytes: Infinity }, table, RETENTION_MS);
  const took = performance.now() - start;
  const walBytes = (await readWal(owner)) - wal;
  isDone = true;
  await probing;
  await pool.end();
  const left = await owner.query(
    "select from private.list_partitions('public.webhook_deliveries') where lower_id is null",
  );
  if (left.rows.length > 0) throw new Error("the old partition was not dropped");
  const { rows, bytes } = due.rows[0] ?? { rows: "0", bytes: "0" };
  return (
    `Dropping ${Number(rows).toLocaleString("en")} deliveries (${(Number(bytes) / 2 ** 20).toFixed(0)} MiB) took ${took.toFixed(0)} ms and wrote ` +
    `${(walBytes / 1024).toFixed(0)} KiB to the log. The median of ${waits.length} writes meanwhile took ${medianOf(waits).toFixed(1)} ms, the slowest ${Math.max(0, ...waits).toFixed(1)} ms, ` +
    `in the five seconds before ${medianOf(quiet).toFixed(1)} and ${Math.max(...quiet).toFixed(1)} ms. Deleting ${SINGLE_ROWS} of them one by one writes ${(singleBytes / 1024).toFixed(0)} KiB.`
  );
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

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client(url);
  await client.connect();
  closers.add(() => client.end());
  return client;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
