import type pg from "pg";
import type { EventRow } from "../steps.ts";
import { toStorableJson } from "./advance-run.ts";

/** The ordinary end of a run of one turn. Names are those that private.end_runs reads. */
export interface PlainEnd {
  readonly run_id: string;
  readonly fence: number;
  readonly agent_id: string;
  readonly turn_id: string;
  /** The first of five. */
  readonly seq: number;
  readonly end_seq: number;
  /** Said and not stored yet. */
  readonly deltas: readonly EventRow[];
  readonly content: string;
  readonly finish_reason: string | null;
  readonly stop_reason: string;
  readonly warnings: readonly unknown[];
  readonly attempts: number;
  readonly framework: string;
  readonly model: string;
  readonly first_token_ms: number | null;
  readonly duration_ms: number;
  readonly input_tokens: number;
  readonly cached_input_tokens: number;
  readonly output_tokens: number;
  readonly reasoning_tokens: number;
  readonly cost_usd: number | null;
  readonly estimated: boolean;
  readonly payer_id: string;
}

export interface Ended {
  readonly run_id: string;
  /** Of the turn; that of the run's end says what the body says. */
  readonly events: readonly EventRow[];
  readonly body: Readonly<Record<string, unknown>>;
  /** Another run of the swarm waits. */
  readonly has_next: boolean;
  /** There are events for webhooks. */
  readonly has_events: boolean;
}

interface EndedRuns {
  readonly ended: readonly Omit<Ended, "has_events">[];
  readonly has_events: boolean;
}

/** Those that were ended; for the others nothing was written. */
export async function endRuns(pool: pg.Pool, ends: readonly PlainEnd[]): Promise<readonly Ended[]> {
  const { rows } = await pool.query<{ answer: EndedRuns | null }>({
    name: "agents-end-runs",
    text: "select private.end_runs($1) as answer",
    values: [toStorableJson(ends)],
  });
  const answer = rows[0]?.answer;
  return answer?.ended.map((ended) => ({ ...ended, has_events: answer.has_events })) ?? [];
}
