import pg from "pg";
import { type Cleanup, createTestDatabase } from "../../support/database.ts";
import { insertOthers, insertSubject, measureQueue, QUEUE_TABLES, type QueueCosts } from "./queue-costs.ts";

const FEW = 100;

/** What the queue reads with 100 other users, and with many in each state of statistics and plans. */
export interface MeasuredStates {
  readonly few: QueueCosts;
  readonly many: ReadonlyMap<string, QueueCosts>;
}

export async function measureStates(t: Cleanup, others: number): Promise<MeasuredStates> {
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

  for (const table of QUEUE_TABLES) await admin.query(`alter table ${table} set (autovacuum_enabled = false)`);
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

async function forgetStatistics(admin: pg.Client): Promise<void> {
  await admin.query("delete from pg_statistic where starelid = any ($1::regclass[])", [QUEUE_TABLES]);
  await admin.query(
    `update pg_class c set relpages = 0, reltuples = -1
     where c.oid = any ($1::regclass[])
       or c.oid in (select i.indexrelid from pg_index i where i.indrelid = any ($1::regclass[]))`,
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
