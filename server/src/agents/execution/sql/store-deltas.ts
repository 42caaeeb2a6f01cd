import type pg from "pg";
import type { EventRow } from "../steps.ts";
import type { RunHold } from "./advance-runs.ts";
import { toStorableJson } from "./storable-json.ts";

export interface DeltaBatch {
  readonly hold: RunHold;
  readonly rows: readonly EventRow[];
}

export interface DeltaVerdict {
  readonly run_id: string;
  /** False: somebody holds the run's row just now, or the run is lost. */
  readonly is_stored: boolean;
  readonly is_lost: boolean;
  readonly cancel_reason: "cancelled" | "interrupted" | "disconnected" | null;
}

/** The deltas of many runs, each under its own fence, in one transaction that waits for nobody. */
export async function storeDeltas(pool: pg.Pool, batches: readonly DeltaBatch[]): Promise<readonly DeltaVerdict[]> {
  const asked = batches.map(({ hold, rows }) => ({ run_id: hold.runId, fence: hold.fence, events: rows }));
  const { rows } = await pool.query<{ verdicts: readonly DeltaVerdict[] }>({
    name: "agents-store-deltas",
    text: "select private.store_deltas($1) as verdicts",
    values: [toStorableJson(asked)],
  });
  return rows[0]?.verdicts ?? [];
}
