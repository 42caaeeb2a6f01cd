import type pg from "pg";
import type { EventRow } from "../../streams/stream-hub.ts";
import type { CancelReason } from "../steps.ts";
import type { RunLease } from "./advance-runs.ts";
import { toStorableJson } from "./to-storable-json.ts";

export interface DeltaBatch {
  readonly hold: RunLease;
  readonly rows: readonly EventRow[];
  /** An event of the write before, if a crash of the database could undo that. */
  readonly afterSeq: number | null;
  /** They have to survive a crash of the database. */
  readonly isDurable: boolean;
}

export interface DeltaResult {
  readonly run_id: string;
  /** False means that another transaction has locked the run, the run is lost, or earlier events are. */
  readonly is_stored: boolean;
  /** A crash of the database has undone the write before. */
  readonly has_gap: boolean;
  readonly is_lost: boolean;
  readonly cancel_reason: CancelReason | null;
}

/** Stores the deltas of many runs, each with its own fence, in one transaction that never waits for a lock. */
export async function storeDeltas(pool: pg.Pool, batches: readonly DeltaBatch[]): Promise<readonly DeltaResult[]> {
  const sent = batches.map(({ hold, rows, afterSeq, isDurable }) => ({
    run_id: hold.runId,
    fence: hold.fence,
    events: rows,
    after_seq: afterSeq,
    is_durable: isDurable,
  }));
  const { rows } = await pool.query<{ verdicts: readonly DeltaResult[] }>({
    name: "agents-store-deltas",
    text: "select private.store_deltas($1) as verdicts",
    values: [toStorableJson(sent)],
  });
  return rows[0]?.verdicts ?? [];
}
