import type { ClaimRequest } from "../sql/claim-due-deliveries.ts";
import type { ClaimedDelivery } from "../sql/delivery-row.ts";

/** A claim that somebody else makes for the dispatcher, in the statement that makes what is claimed. */
export interface Offer {
  readonly request: ClaimRequest;
  /** `isAll` unless there were more than the request asked for. */
  accept(claimed: readonly ClaimedDelivery[], isAll: boolean): Promise<void>;
  /** No answer came: nobody knows whether the claim was made. */
  lose(): void;
}

export interface Intake {
  /** Null while there is no room, or nobody to send anything. */
  offer(): Offer | null;
  /** Until there is plenty of room, but no longer than this. */
  waitForRoom(timeoutMs: number, signal: AbortSignal): Promise<void>;
}
