import type pg from "pg";
import type { CancelReason, EventRow } from "../steps.ts";
import type { RunHold } from "./advance-runs.ts";
import { toStorableJson } from "./storable-json.ts";

export interface DeltaBatch {
  readonly hold: RunHold;
  readonly rows: readonly EventRow[];
  /** They have to survive a crash of the database. */
  readonly isDurable: boolean;
}

export interface DeltaResult {
  readonly run_id: string;
  /** False: another transaction has locked the run, or the run is lost. */
  readonly is_stored: boolean;
  readonly is_lost: boolean;
  readonly cancel_reason: CancelReason | null;
}

/** Stores the deltas of many runs, each with its own fence, in one transaction that never waits for a lock. */
export async function storeDeltas(pool: pg.Pool, batches: readonly DeltaBatch[]): Promise<readonly DeltaResult[]> {
  const sent = batches.map(({ hold, rows, isDurable }) => ({
    run_id: hold.runId,
    fence: hold.fence,
    events: rows,
    is_durable: isDurable,
  }));
  const { rows } = await pool.query<{ verdicts: readonly DeltaResult[] }>({
    name: "agents-store-deltas",
    text: "select private.store_deltas($1) as verdicts",
    values: [toStorableJson(sent)],
  });
  return rows[0]?.verdicts ?? [];
}
