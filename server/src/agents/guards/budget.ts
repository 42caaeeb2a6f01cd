import type { RunBudgetLimits } from "./run-limits.ts";

export interface Spending {
  readonly tokens: number;
  readonly costUsd: number;
}

export interface CallEstimate {
  readonly inputTokens: number;
  readonly maxOutputTokens: number;
  /** For input and full output; null where the price is unknown: then tokens alone bound the call. */
  readonly costUsd: number | null;
}

/** What a payer allows in a day, and what of it was gone when the run began. */
export interface DayAllowance {
  readonly maxTokens: number | null;
  readonly maxCostUsd: number | null;
  readonly spent: Spending;
}

/** A call's share, held back until its real usage is known. */
export interface Reservation {
  readonly tokens: number;
  readonly costUsd: number;
}

export interface RunBudget {
  /** Null: the call must not be made. */
  reserve(estimate: CallEstimate): Reservation | null;
  /** Once per reservation, however the call ended; a call that never reached the vendor settles with zeros. */
  settle(reservation: Reservation, real: { readonly tokens: number; readonly costUsd: number | null }): void;
  /** What the run's settled calls came to, those before it waited included. */
  spent(): Spending;
}

/** Bookkeeping for calls that run side by side: what one has reserved, another cannot spend. */
export function createRunBudget(
  limits: RunBudgetLimits,
  spentToday: Spending,
  userDay: DayAllowance | null = null,
  /** What the run had spent before it waited for a human. */
  spentBefore: Spending = { tokens: 0, costUsd: 0 },
): RunBudget {
  const maxTokens = least(
    rest(limits.maxTokens, spentBefore.tokens),
    rest(limits.maxTokensPerDay, spentToday.tokens),
    userDay && rest(userDay.maxTokens, userDay.spent.tokens),
  );
  const maxCostUsd = least(
    rest(limits.maxCostUsd, spentBefore.costUsd),
    rest(limits.maxCostUsdPerDay, spentToday.costUsd),
    userDay && rest(userDay.maxCostUsd, userDay.spent.costUsd),
  );
  const open = new Set<Reservation>();
  const settled = { tokens: 0, costUsd: 0 };

  return {
    reserve(estimate) {
      const reservation = {
        tokens: amount(estimate.inputTokens) + amount(estimate.maxOutputTokens),
        costUsd: amount(estimate.costUsd ?? 0),
      };
      let tokens = settled.tokens + reservation.tokens;
      let costUsd = settled.costUsd + reservation.costUsd;
      for (const other of open) {
        tokens += other.tokens;
        costUsd += other.costUsd;
      }
      // A purse that is used up is closed to calls of unknown price as well.
      const isSpent = maxCostUsd !== null && settled.costUsd >= maxCostUsd;
      if (isSpent || tokens > (maxTokens ?? Infinity) || costUsd > (maxCostUsd ?? Infinity)) return null;
      open.add(reservation);
      return reservation;
    },
    settle(reservation, real) {
      if (!open.delete(reservation)) return;
      settled.tokens += amount(real.tokens);
      settled.costUsd += amount(real.costUsd ?? 0);
    },
    spent: () => ({
      tokens: spentBefore.tokens + settled.tokens,
      costUsd: spentBefore.costUsd + settled.costUsd,
    }),
  };
}

function rest(max: number | null, spent: number): number | null {
  return max === null ? null : Math.max(0, max - amount(spent));
}

function least(...bounds: readonly (number | null)[]): number | null {
  const known = bounds.filter((bound) => bound !== null);
  return known.length === 0 ? null : Math.min(...known);
}

/** Nonsense from a vendor neither frees nor breaks the books. */
function amount(value: number): number {
  return Number.isFinite(value) && value > 0 ? value : 0;
}
