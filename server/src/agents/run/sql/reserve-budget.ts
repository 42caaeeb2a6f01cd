import type { Framework } from "@swarmbase/sdk";
import type pg from "pg";

/** Names are those that private.reserve_budget reads. */
export interface BudgetCall {
  /** Of the reservation. */
  readonly id: string;
  readonly run_id: string;
  readonly fence: number;
  readonly turn_id: string | null;
  readonly payer_id: string;
  readonly grant_id: string | null;
  readonly framework: Framework;
  readonly model: string;
  readonly input_tokens: number;
  readonly max_output_tokens: number;
  readonly least_output_tokens: number;
  readonly input_cost_usd: number | null;
  /** Of the largest answer. */
  readonly output_cost_usd: number | null;
}

interface BudgetGrant {
  readonly outcome: "granted" | "refused" | "lost";
  /** False when no budget applies. */
  readonly is_reserved: boolean;
  readonly max_output_tokens: number;
}

export async function reserveBudget(pool: pg.Pool, call: BudgetCall): Promise<BudgetGrant> {
  const { rows } = await pool.query<{ grant: BudgetGrant }>({
    name: "agents-reserve-budget",
    text: "select private.reserve_budget($1) as grant",
    values: [JSON.stringify(call)],
  });
  const grant = rows[0]?.grant;
  if (grant === undefined) throw new Error("the database gave no answer about the budget");
  return grant;
}
