import type { Framework } from "@swarmbase/sdk";
import type pg from "pg";
import { retryWhileHeld } from "../writer/retry-while-held.ts";
import type { RunWriter } from "../writer/run-writer.ts";
import { RunStop } from "../writer/run-stop.ts";
import type { RunLease } from "../writer/sql/advance-runs.ts";
import { reserveBudget } from "./sql/reserve-budget.ts";
import type { UsageRow } from "../writer/steps.ts";

/** The call exceeds a budget and is not made. */
export class BudgetSpent extends Error {
  constructor() {
    super("the budget does not allow another call");
    this.name = "BudgetSpent";
  }
}

export interface CallEstimate {
  /** Null when the call belongs to no turn. */
  readonly turnId: string | null;
  readonly payerId: string;
  /** Null means that the agent answers without one. */
  readonly grantId: string | null;
  readonly framework: Framework;
  readonly model: string;
  readonly inputTokens: number;
  readonly maxOutputTokens: number;
  /** The call is rejected when the budget allows less output than this. */
  readonly minOutputTokens: number;
  /** Null when no price is known: then only tokens bound the call. */
  cost(): CallCost | null;
}

export interface CallCost {
  readonly inputUsd: number;
  /** Of the largest answer. */
  readonly outputUsd: number;
}

interface Reservation {
  /** Null when no budget applies. */
  readonly id: string | null;
  /** The output limit of the call. */
  readonly maxOutputTokens: number;
}

/** Budgets of one run's model calls. Reservations are rows in the database, because other runs and nodes share the budgets. */
export interface RunBudget {
  /** Throws BudgetSpent when a budget is exceeded, and RunStop when the run is lost. */
  reserve(estimate: CallEstimate): Promise<Reservation>;
  /** Replaces reservations by the real usage; null releases them. */
  settle(reservationIds: readonly string[], usage: UsageRow | null): void;
}

/** For runs without a budget: sends no statement. */
export const NO_BUDGET: RunBudget = {
  reserve: async ({ maxOutputTokens }) => ({ id: null, maxOutputTokens }),
  settle: () => {},
};

interface RunBudgetOptions {
  readonly pool: pg.Pool;
  readonly hold: RunLease;
  readonly writer: Pick<RunWriter, "submit">;
  newId(): string;
  isHeld(): boolean;
  onLost(): void;
}

export function createRunBudget(options: RunBudgetOptions): RunBudget {
  const { pool, hold, writer, newId, isHeld } = options;
  let lastSettled: Promise<unknown> = Promise.resolve();

  return {
    async reserve(estimate) {
      // Otherwise the unused part of the previous call's reservation would still count.
      await lastSettled;
      const id = newId();
      const cost = estimate.cost();
      const call = {
        id,
        run_id: hold.runId,
        fence: hold.fence,
        turn_id: estimate.turnId,
        payer_id: estimate.payerId,
        grant_id: estimate.grantId,
        framework: estimate.framework,
        model: estimate.model,
        input_tokens: estimate.inputTokens,
        max_output_tokens: estimate.maxOutputTokens,
        least_output_tokens: estimate.minOutputTokens,
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
      lastSettled = writer.submit({ op: "settle_reservations", ids, usage }).catch(() => {});
    },
  };
}
