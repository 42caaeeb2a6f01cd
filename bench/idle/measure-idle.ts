import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { listDescendants } from "../agents/descendants.ts";
import { startVersion, type Version } from "../versions/start-version.ts";
import { readThreadTimes, sumUsed } from "./thread-times.ts";

/** Of each node, with its share of PostgreSQL. */
export interface IdleCost {
  readonly nodes: number;
  readonly cpuMsPerSecond: number;
  readonly timeslicesPerSecond: number;
  readonly transactionsPerSecond: number;
  readonly serviceMiB: number;
}

export interface IdleOptions {
  readonly root: string;
  readonly dataDir: string;
  readonly nodes: number;
  readonly settleSeconds: number;
  readonly seconds: number;
}

const COUNT = `select sum(xact_commit + xact_rollback)::float8 as count from pg_stat_database`;

/** Nodes on one embedded database, without clients. */
export async function measureIdle({ root, dataDir, nodes, settleSeconds, seconds }: IdleOptions): Promise<IdleCost> {
  const folder = root;
  const running: Version[] = [
    await startVersion({ name: "node 1", folder, settings: {}, dataDir: join(dataDir, "1") }),
  ];
  try {
    const [first] = running;
    if (first === undefined) throw new Error("there is no node");
    const masterKey = (await readFile(join(dataDir, "1/master.key"), "utf8")).trim();
    for (let count = 2; count <= nodes; count += 1) {
      const settings = { DATABASE_URL: first.databaseUrl, MASTER_KEY: masterKey };
      running.push(
        await startVersion({ name: `node ${count}`, folder, settings, dataDir: join(dataDir, String(count)) }),
      );
    }
    const sql = new pg.Client(first.databaseUrl);
    await sql.connect();
    const countTransactions = async (): Promise<number> =>
      (await sql.query<{ count: number }>(COUNT)).rows[0]?.count ?? 0;
    await sleep(settleSeconds * 1_000);
    const pids = running.flatMap(({ pid }) => [pid, ...listDescendants(pid)]);
    const transactionsBefore = await countTransactions();
    const before = readThreadTimes(pids);
    await sleep(seconds * 1_000);
    const used = sumUsed(before, readThreadTimes(pids));
    const transactions = (await countTransactions()) - transactionsBefore;
    await sql.end();
    const bytes = await Promise.all(running.map(({ pid }) => readResidentBytes(pid)));
    const share = nodes * seconds;
    return {
      nodes,
      cpuMsPerSecond: used.cpuMs / share,
      timeslicesPerSecond: used.timeslices / share,
      transactionsPerSecond: transactions / share,
      serviceMiB: Math.max(...bytes) / 1024 ** 2,
    };
  } finally {
    for (const node of running.toReversed()) await node.stop();
  }
}

async function readResidentBytes(pid: number): Promise<number> {
  const kib = /^VmRSS:\s+(\d+)/m.exec(await readFile(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kib) * 1024;
}
