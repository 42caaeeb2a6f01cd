import type pg from "pg";
import { retryWhileHeld } from "./retry-while-held.ts";
import type { RunLedger } from "./run-ledger.ts";
import { RunStop } from "./run-stop.ts";
import type { RunHold } from "./sql/advance-run.ts";
import { reserveBudget } from "./sql/reserve-budget.ts";
import type { UsageRow } from "./steps.ts";

/** No budget has room for the call: it was not made. */
export class BudgetSpent extends Error {
  constructor() {
    super("the budget does not allow another call");
    this.name = "BudgetSpent";
  }
}

export interface CallEstimate {
  /** Null: the call belongs to no turn. */
  readonly turnId: string | null;
  readonly inputTokens: number;
  readonly maxOutputTokens: number;
  /** With room for less than this the call is not worth making. */
  readonly leastOutputTokens: number;
  /** Null where no price is known: then tokens alone bound the call. */
  cost(): CallCost | null;
}

export interface CallCost {
  readonly inputUsd: number;
  /** Of the largest answer. */
  readonly outputUsd: number;
}

export interface Reservation {
  /** Null: no budget bounds the call. */
  readonly id: string | null;
  /** How much the call may write. */
  readonly maxOutputTokens: number;
}

/** What the calls of one run may cost. The database decides, because other runs and nodes spend of the same budgets. */
export interface RunBudget {
  /** Throws BudgetSpent where no budget has room, and a RunStop where the run is lost. */
  reserve(estimate: CallEstimate): Promise<Reservation>;
  /** What a call really used counts from now on instead of what was reserved; null: nothing counts any more. */
  settle(reservationIds: readonly string[], usage: UsageRow | null): void;
}

/** Of a run that no budget applies to: the database is not asked. */
export const NO_BUDGET: RunBudget = {
  reserve: async ({ maxOutputTokens }) => ({ id: null, maxOutputTokens }),
  settle: () => {},
};

export interface RunBudgetOptions {
  readonly pool: pg.Pool;
  readonly hold: RunHold;
  readonly payerId: string;
  readonly ledger: Pick<RunLedger, "submit">;
  newId(): string;
  isHeld(): boolean;
  onLost(): void;
}

export function createRunBudget(options: RunBudgetOptions): RunBudget {
  const { pool, hold, payerId, ledger, newId, isHeld } = options;
  let lastSettled: Promise<unknown> = Promise.resolve();

  return {
    async reserve(estimate) {
      // Else what the call before it did not use would still be held back.
      await lastSettled;
      const id = newId();
      const cost = estimate.cost();
      const call = {
        id,
        run_id: hold.runId,
        fence: hold.fence,
        turn_id: estimate.turnId,
        payer_id: payerId,
        input_tokens: estimate.inputTokens,
        max_output_tokens: estimate.maxOutputTokens,
        least_output_tokens: estimate.leastOutputTokens,
        input_cost_usd: cost?.inputUsd ?? null,
        output_cost_usd: cost?.outputUsd ?? null,
      };
      const grant = await retryWhileHeld(() => reserveBudget(pool, call), isHeld);
      switch (grant.outcome) {
        case "granted":
          return { id: grant.is_reserved ? id : null, maxOutputTokens: grant.max_output_tokens };
        case "refused":
          throw new BudgetSpent();
        case "lost":
          options.onLost();
          throw new RunStop("lost");
      }
    },
    settle(ids, usage) {
      if (ids.length === 0) return;
      lastSettled = ledger.submit({ op: "settle_reservations", ids, usage }).catch(() => {});
    },
  };
}
