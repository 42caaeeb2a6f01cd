import type pg from "pg";
import type { EventRow } from "../../streams/stream-hub.ts";
import { type CancelReason, countSeqs, type PromptRow, type Step, type StepResult } from "../steps.ts";
import { readTurn, type TurnRow } from "./turn-row.ts";
import { toStorableJson } from "./to-storable-json.ts";

/** The lease of a run: every write carries its fence. */
export interface RunLease {
  readonly runId: string;
  readonly swarmId: string;
  readonly fence: number;
}

export type NumberedStep = Step & { readonly seq: number };

/** The writes of one run in one transaction. */
export interface RunAdvance {
  readonly hold: RunLease;
  readonly steps: readonly NumberedStep[];
  /** Deltas that are not stored yet. */
  readonly events: readonly EventRow[];
  /** These steps were sent before without an answer. The database applies them once. */
  readonly isRepeated: boolean;
}

export interface Advanced {
  /** The run is held by another node, or has ended: nothing was written. */
  readonly isLost: boolean;
  readonly cancelReason: CancelReason | null;
  /** One for each step. */
  readonly results: readonly StepResult[];
  /** A webhook event was stored. */
  readonly hasEvents: boolean;
  /** The write, and all before it, survive a crash of the database. */
  readonly isDurable: boolean;
}

type ResultRow = Pick<StepResult, "outcome"> &
  Partial<Pick<StepResult, "events">> &
  /** Of a turn that begins or continues; one that begins has the conversation of its run. */
  Partial<TurnRow>;

interface AdvancedRow {
  readonly place: number;
  readonly outcome: "taken" | "lost" | "held";
  readonly cancel_reason: Advanced["cancelReason"];
  /** One for each step; null means that nothing was written. */
  readonly results: readonly ResultRow[] | null;
  /** Of the steps whose result has none. */
  readonly events: readonly EventRow[] | null;
  /** Of a run that started a turn: the new messages of the swarm. */
  readonly conversation: TurnRow["conversation"] | null;
  /** Of a run that ended: the data of its last event, with the keys in documented order. */
  readonly body: EventRow["data"] | null;
  readonly has_next: boolean | null;
}

/** Returns one answer for each run, in their order. Null means that nothing was written, because another transaction holds a lock. */
export async function advanceRuns(pool: pg.Pool, advances: readonly RunAdvance[]): Promise<(Advanced | null)[]> {
  // Without a prototype: an ordinary object with ids as keys was measured to cost the service more CPU, see decision 0007.
  const prompts = Object.create(null) as Record<string, PromptRow>;
  const sent = advances.map(({ hold, steps, events, isRepeated }, place) => ({
    place,
    run_id: hold.runId,
    fence: hold.fence,
    steps: steps.map((step) => ({
      ...takePromptsOut(step, prompts),
      ...(isRepeated && { seqs: countSeqs(step) }),
    })),
    events,
    is_repeated: isRepeated,
    ...(place === 0 && { prompts }),
  }));
  const { rows } = await pool.query<{
    answer: { runs: readonly AdvancedRow[]; has_events: boolean; is_durable: boolean };
  }>({
    name: "agents-advance-runs",
    text: "select private.advance_runs($1) as answer",
    values: [toStorableJson(sent)],
  });
  const answer = rows[0]?.answer;
  const byPlace = new Map(answer?.runs.map((row) => [row.place, row]));
  return advances.map(({ steps }, place) => {
    const row = byPlace.get(place);
    if (row === undefined) throw new Error("the database returned no row for the run");
    const { has_events: hasEvents = false, is_durable: isDurable = false } = answer ?? {};
    return row.outcome === "held" ? null : { ...toAdvanced(row, steps), hasEvents, isDurable };
  });
}

/** Returns the step without the prompts of its model calls, and adds these to `prompts`, by the id of the call. */
function takePromptsOut(step: NumberedStep, prompts: Record<string, PromptRow>): NumberedStep {
  if (step.op !== "finish_turn" && step.op !== "add_model_calls") return step;
  const calls = step.model_calls.map(({ prompt, ...call }) => {
    if (prompt !== undefined) prompts[call.id] = prompt;
    return call;
  });
  return { ...step, model_calls: calls };
}

function toAdvanced(row: AdvancedRow, steps: readonly NumberedStep[]): Omit<Advanced, "hasEvents" | "isDurable"> {
  const results = steps.map((step, index): StepResult => {
    const { agent, conversation = row.conversation, ...result } = row.results?.[index] ?? {};
    const isOfStep = ({ seq }: EventRow): boolean => seq >= step.seq && seq < step.seq + countSeqs(step);
    const events = result.events ?? row.events?.filter(isOfStep) ?? [];
    if (step.op === "start_turn" || step.op === "resume_turn")
      return {
        ...result,
        events,
        ...(agent !== undefined && conversation !== null && readTurn({ agent, conversation }, step.turn_id)),
      };
    if (step.op !== "finish_run" || row.body === null) return { ...result, events };
    const end = { seq: step.seq, type: `run.${step.status}`, agent_id: null, restricted: false, data: row.body };
    return { ...result, events: [end], hasNext: row.has_next !== false };
  });
  return { isLost: row.outcome === "lost", cancelReason: row.cancel_reason, results };
}
