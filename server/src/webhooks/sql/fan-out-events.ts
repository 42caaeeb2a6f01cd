import type pg from "pg";
import type { ClaimRequest } from "./claim-due-deliveries.ts";
import { CLAIMED_COLUMNS, type ClaimedDelivery, type ClaimedRow, toClaimedDelivery } from "./delivery-row.ts";

export interface FannedOut {
  readonly events: number;
  /** Deliveries that were made and wait for a claim. */
  readonly unclaimed: number;
  /** Webhooks were enabled again, and what was held for them waits for a claim. */
  readonly hasResumptions: boolean;
  /** Those that are under the claim already. */
  readonly claimed: readonly ClaimedDelivery[];
}

interface FanOutRow extends ClaimedRow {
  readonly events: number;
  readonly unclaimed: number;
  readonly has_resumptions: boolean;
}

/** Events become deliveries and are gone, in one transaction. Without a request nothing is claimed. */
export async function fanOutEvents(
  pool: pg.Pool,
  maxEvents: number,
  firstDelayMs: number,
  request: ClaimRequest | null,
): Promise<FannedOut> {
  const { rows } = await pool.query<FanOutRow | (FanOutRow & { readonly id: null })>(
    `select events, unclaimed, has_resumptions, ${CLAIMED_COLUMNS}
     from private.fan_out_events($1, $2 * interval '1 millisecond', $3, $4 * interval '1 millisecond', $5, $6, $7, $8, $9)`,
    [
      maxEvents,
      firstDelayMs,
      request?.claim ?? null,
      request?.leaseMs ?? 0,
      request?.maxRows ?? 0,
      request?.laneShare ?? 0,
      [...(request?.laneRoom.keys() ?? [])],
      [...(request?.laneRoom.values() ?? [])],
      request?.fullUserIds ?? [],
    ],
  );
  const [first] = rows;
  return {
    events: first?.events ?? 0,
    unclaimed: first?.unclaimed ?? 0,
    hasResumptions: first?.has_resumptions ?? false,
    claimed: rows.filter((row) => row.id !== null).map(toClaimedDelivery),
  };
}
