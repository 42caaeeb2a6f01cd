import { setTimeout as sleep } from "node:timers/promises";
import { isUnavailable } from "@swarmbase/postgres";
import pg from "pg";
import type { Observer } from "../../observe/index.ts";
import { withClient } from "../connect-client.ts";
import { type Partition, planPartitions } from "./plan-partitions.ts";
import {
  ATTACH,
  DETACH,
  DROP,
  FINALIZE,
  selectDetached,
  selectPartitions,
  VALIDATE,
} from "./sql/partition-statements.ts";

/** Any number will do, as long as every node takes the same. */
const LOCK_KEY = 7_302_911_403;
/** While a statement waits for an exclusive lock, requests wait behind it. */
const LOCK_TIMEOUT_MS = 50;
const LOCK_ATTEMPTS = 20;
const BETWEEN_ATTEMPTS_MS = 500;
/** Detaching waits for older transactions. One that is cancelled is completed by the next pass. */
const DETACH_TIMEOUT_MS = 60_000;
/** SQLSTATE lock_not_available and query_canceled. */
const BUSY_CODES: ReadonlySet<unknown> = new Set(["55P03", "57014"]);

/** About 100,000 deliveries. */
const MIN_BYTES = 128 * 1024 * 1024;

export interface PartitionedTable {
  readonly name: string;
  /** Returns a statement that tells, as `found`, whether rows from id $1, null for the first, to id $2 must stay. */
  selectNeeded?(partition: string): string;
}

interface KeepPartitionsOptions {
  readonly pool: pg.Pool;
  /** Only the owner of the schema may change it, and detaching without locks needs a session of its own. */
  readonly ownerUrl: string;
  readonly observer: Observer;
  /** The size from which a table is divided. */
  readonly minBytes?: number;
}

/**
 * Closes the last partition of a table ahead of time and drops the partitions whose rows are all older than the retention. One node
 * does so at a time. A failure is noted: until the next pass, rows go to the last partition and old ones are deleted one by one. Throws
 * while the database is unavailable, which concerns the caller as well.
 */
export async function keepPartitions(
  options: KeepPartitionsOptions,
  table: PartitionedTable,
  retentionMs: number,
): Promise<void> {
  let isDue = false;
  try {
    ({ isDue } = await decide(options.pool, options, table, retentionMs));
    if (isDue) await withClient(options.ownerUrl, (owner) => keepAlone(options, owner, table, retentionMs));
  } catch (error) {
    if (!isDue && isUnavailable(error)) throw error;
    options.observer.note("database.partitions_failed", { table: table.name, error });
  }
}

async function decide(
  db: pg.Pool | pg.Client,
  { minBytes = MIN_BYTES }: KeepPartitionsOptions,
  { name }: PartitionedTable,
  retentionMs: number,
) {
  const { partitions, pending, detached, bytes, nowMs } = await selectPartitions(db, name);
  const plan = planPartitions(partitions, { nowMs, retentionMs, isLarge: bytes >= minBytes });
  const isDue = plan.closeAt !== null || plan.old.length + pending.length + detached > 0;
  return { ...plan, pending, isDue };
}

async function keepAlone(
  options: KeepPartitionsOptions,
  owner: pg.Client,
  table: PartitionedTable,
  retentionMs: number,
): Promise<void> {
  const { observer } = options;
  const { rows } = await owner.query<{ taken: boolean }>("select pg_try_advisory_lock($1) as taken", [LOCK_KEY]);
  if (rows[0]?.taken !== true) return;
  await owner.query("set search_path = ''");
  const { closeAt, old, pending } = await decide(owner, options, table, retentionMs);
  if (closeAt !== null) {
    const isClosed = await closeLast(owner, table, closeAt);
    observer.note(isClosed ? "database.partition_closed" : "database.partition_open", { table: table.name, closeAt });
  }
  await owner.query(`set lock_timeout = 0; set statement_timeout = ${DETACH_TIMEOUT_MS}`);
  for (const name of pending) await owner.query(FINALIZE(table.name, name));
  for (const partition of old) {
    if (!(await isNeeded(owner, table, partition))) await owner.query(DETACH(table.name, partition.name));
  }
  for (const partition of await selectDetached(owner, table.name)) {
    // A failed delivery may have been sent again while the partition was detached.
    const mustStay = await isNeeded(owner, table, partition);
    await owner.query(mustStay ? ATTACH(table.name, partition) : DROP(partition.name));
    if (!mustStay) observer.note("database.partition_dropped", { table: table.name, partition: partition.name });
  }
}

/** Returns false when the table is too busy, or its last partition has later ids, which only the writer of a row can have chosen. */
async function closeLast(owner: pg.Client, { name }: PartitionedTable, closeAt: string): Promise<boolean> {
  const close = (): Promise<boolean | null> => tryLocked(owner, "close_last_partition", name, closeAt);
  const isClosed = await close();
  if (isClosed !== false) return isClosed ?? false;
  if ((await tryLocked(owner, "limit_last_partition", name, closeAt)) !== true) return false;
  await owner.query("set lock_timeout = 0");
  const { partitions } = await selectPartitions(owner, name);
  await owner.query(VALIDATE(partitions.find(({ upperId }) => upperId === null)?.name ?? ""));
  return (await close()) ?? false;
}

/** Null when the lock was not free in any attempt. */
async function tryLocked(owner: pg.Client, step: string, name: string, bound: string): Promise<boolean | null> {
  await owner.query(`set lock_timeout = ${LOCK_TIMEOUT_MS}`);
  for (let attempt = 1; attempt <= LOCK_ATTEMPTS; attempt += 1) {
    try {
      const { rows } = await owner.query<{ done: boolean }>(`select private.${step}($1, $2) as done`, [name, bound]);
      return rows[0]?.done ?? false;
    } catch (error) {
      if (!(error instanceof pg.DatabaseError) || !BUSY_CODES.has(error.code)) throw error;
      await sleep(BETWEEN_ATTEMPTS_MS);
    }
  }
  return null;
}

async function isNeeded(owner: pg.Client, { selectNeeded }: PartitionedTable, partition: Partition): Promise<boolean> {
  if (selectNeeded === undefined) return false;
  const { rows } = await owner.query<{ found: boolean }>(selectNeeded(partition.name), [
    partition.lowerId,
    partition.upperId,
  ]);
  return rows[0]?.found ?? true;
}
