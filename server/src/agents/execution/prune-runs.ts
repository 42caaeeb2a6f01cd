import type pg from "pg";
import { keepPartitions } from "../../db/index.ts";
import type { Observer } from "../../observe/index.ts";
import { deleteHiddenSwarms, describeEventPartitions, pruneModelCalls, pruneRunRows } from "./sql/manage-runs.ts";

const HOUR_MS = 3_600_000;
const MAX_PRUNED = 5_000;
/** How long a client that lost its connection can read the run of a conversation that is not stored. */
const HIDDEN_SWARM_RETENTION_MS = 300_000;
const MAX_DELETED_SWARMS = 100;

interface PruneOptions {
  readonly ports: { readonly pool: pg.Pool; readonly observer: Observer };
  /** 0 keeps the events. */
  readonly eventRetentionHours: number;
  /** 0 keeps the rows. */
  readonly modelCallRetentionHours: number;
  readonly ownerUrl?: string | null;
}

/** Each pass removes everything that is due, in transactions of a limited size: a fixed number a pass would fall behind under load. */
export async function pruneRuns(options: PruneOptions, signal: AbortSignal): Promise<void> {
  const { eventRetentionHours, modelCallRetentionHours: callHours, ownerUrl = null } = options;
  const { pool, observer } = options.ports;
  const eventHours = eventRetentionHours === 0 ? null : eventRetentionHours;
  const removeAll = async (maxRows: number, remove: (maxRows: number) => Promise<number>): Promise<void> => {
    while (!signal.aborted && (await remove(maxRows)) >= maxRows);
  };
  if (ownerUrl !== null) {
    const table = describeEventPartitions(eventRetentionHours);
    await keepPartitions({ pool, ownerUrl, observer }, table, eventRetentionHours * HOUR_MS);
  }
  await removeAll(MAX_PRUNED, (maxRows) => pruneRunRows(pool, eventHours, maxRows));
  if (callHours > 0) await removeAll(MAX_PRUNED, (maxRows) => pruneModelCalls(pool, callHours, maxRows));
  await removeAll(MAX_DELETED_SWARMS, (maxRows) => deleteHiddenSwarms(pool, HIDDEN_SWARM_RETENTION_MS, maxRows));
}
