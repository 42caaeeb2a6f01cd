import pg from "pg";
import { type Cleanup, createTestDatabase } from "../../support/database.ts";
import {
  insertOthers,
  insertSubject,
  measureQueue,
  QUEUE_RELATIONS,
  QUEUE_TABLES,
  type QueueCosts,
} from "./queue-costs.ts";

const FEW = 100;

/** What the queue reads with 100 other users, and with many in each state of statistics and plans. */
export interface MeasuredStates {
  readonly few: QueueCosts;
  readonly many: ReadonlyMap<string, QueueCosts>;
}

/** `partitions` is the number of partitions of each partitioned table, at least 2. */
export async function measureStates(t: Cleanup, others: number, partitions: number): Promise<MeasuredStates> {
  const closers: (() => Promise<void>)[] = [];
  t.after(async () => {
    for (const close of closers.toReversed()) await close();
  });
  const database = await createTestDatabase({ after: (close) => void closers.push(close) });
  const connect = async (connectionString: string): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString });
    await client.connect();
    closers.push(() => client.end());
    return client;
  };
  const admin = await connect(database.adminUrl);
  const analyse = async (): Promise<void> => {
    for (const table of QUEUE_TABLES) await admin.query(`vacuum analyze ${table}`);
  };
  /** The second time, because the first one also reads what a session reads once. */
  const measureTwice = async (client: pg.Client): Promise<QueueCosts> => {
    await measureQueue(client);
    return measureQueue(client);
  };
  const measureNew = async (): Promise<QueueCosts> => measureTwice(await connect(database.url("sb_service")));

  for (let number = 2; number < partitions; number += 1) await closePartitions(database.owner, number);
  const { rows: tables } = await admin.query<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c where c.oid in (${QUEUE_RELATIONS}) and c.relkind = 'r'`,
    [QUEUE_TABLES],
  );
  for (const { name } of tables) await admin.query(`alter table ${name} set (autovacuum_enabled = false)`);
  await analyse();
  await insertSubject(admin);
  const early = await connect(database.url("sb_service"));
  await measureTwice(early);
  await insertOthers(admin, 1, FEW);
  const few = await measureNew();

  const many = new Map<string, QueueCosts>();
  await insertOthers(admin, FEW + 1, others);
  many.set("planned while the tables were empty", await measureTwice(early));
  many.set("analysed while the tables were empty", await measureNew());
  await forgetStatistics(admin);
  many.set("never analysed", await measureNew());
  await analyse();
  many.set("analysed", await measureNew());
  return { few, many };
}

/** The last partitions end that many weeks from now. */
async function closePartitions(owner: pg.Client, weeks: number): Promise<void> {
  for (const table of ["webhook_deliveries", "webhook_delivery_attempts"])
    await owner.query(
      `select private.close_last_partition('public.${table}', private.get_first_id(now() + $1 * interval '1 week'))`,
      [weeks],
    );
}

async function forgetStatistics(admin: pg.Client): Promise<void> {
  await admin.query(`delete from pg_statistic where starelid in (${QUEUE_RELATIONS})`, [QUEUE_TABLES]);
  await admin.query(
    `update pg_class c set relpages = 0, reltuples = -1
     where c.oid in (${QUEUE_RELATIONS})
       or c.oid in (select i.indexrelid from pg_index i where i.indrelid in (${QUEUE_RELATIONS}))`,
    [QUEUE_TABLES],
  );
}

/** Lists the statements that read more than that many times what they read with few rows. */
export function listGrown({ few, many }: MeasuredStates, times: number): string[] {
  return [...many].flatMap(([state, costs]) =>
    (Object.keys(few) as (keyof QueueCosts)[])
      .filter((name) => costs[name] > few[name] * times)
      .map((name) => `${name}, ${state}: ${costs[name]} pages, with few rows ${few[name]}`),
  );
}
