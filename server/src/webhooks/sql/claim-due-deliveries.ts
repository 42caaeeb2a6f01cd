import type pg from "pg";
import { CLAIMED_COLUMNS, type ClaimedDelivery, type ClaimedRow, toClaimedDelivery } from "./delivery-row.ts";

export interface ClaimRequest {
  /** Names this claim; every later write about its deliveries has to know it. */
  readonly claim: string;
  readonly leaseMs: number;
  readonly maxRows: number;
  /** Deliveries of a lane that is not among `laneRoom`. */
  readonly laneShare: number;
  readonly laneRoom: ReadonlyMap<string, number>;
  readonly fullUserIds: readonly string[];
  /** Sends a minute for each user; 0 is no limit. */
  readonly sendLimit: number;
}

export async function claimDueDeliveries(
  pool: pg.Pool,
  request: ClaimRequest,
  maxLanes: number,
): Promise<ClaimedDelivery[]> {
  const { rows } = await pool.query<ClaimedRow>(
    `select ${CLAIMED_COLUMNS}
     from private.claim_webhook_deliveries($1, $2 * interval '1 millisecond', $3, $4, $5, $6, $7, $8, $9)`,
    [
      request.claim,
      request.leaseMs,
      maxLanes,
      request.maxRows,
      request.laneShare,
      [...request.laneRoom.keys()],
      [...request.laneRoom.values()],
      request.fullUserIds,
      request.sendLimit,
    ],
  );
  return rows.map(toClaimedDelivery);
}
