import type { ClaimRequest } from "../sql/claim-due-deliveries.ts";
import type { ClaimedDelivery } from "../sql/delivery-row.ts";

/** A claim that the fan-out makes for the dispatcher, in the statement that inserts the deliveries. */
export interface InsertClaim {
  readonly request: ClaimRequest;
  /** `isComplete` is false when the statement left deliveries unclaimed. */
  accept(claimed: readonly ClaimedDelivery[], isComplete: boolean): Promise<void>;
  /** The statement failed, so it is unknown whether the claim was made. */
  lose(): void;
}

export interface InsertClaims {
  /** Null while the dispatcher has no capacity or does not run. */
  prepare(): InsertClaim | null;
  /** Resolves when half of the capacity is free, or after the timeout. */
  waitForCapacity(timeoutMs: number, signal: AbortSignal): Promise<void>;
}
