import type pg from "pg";
import type { TranscriptMessage } from "../../context/transcript.ts";
import { countSeqs, type Step, type StepResult } from "../steps.ts";

export interface Advance {
  /** The run is somebody else's, or has ended: nothing was written. */
  readonly is_lost: boolean;
  readonly cancel_reason: "cancelled" | "interrupted" | "disconnected" | null;
  /** One for each step. */
  readonly results: readonly StepResult[];
  /** Where a turn was started: what the swarm has said since the last one. */
  readonly messages: readonly TranscriptMessage[] | null;
  /** Where the run was ended: what its last event says, with keys in the order in which they are documented. */
  readonly body: Readonly<Record<string, unknown>> | null;
}

export interface RunHold {
  readonly runId: string;
  readonly swarmId: string;
  readonly fence: number;
}

export type NumberedStep = Step & { readonly seq: number };

/** All steps or none, in one transaction. Steps that are in doubt, because they were sent before, are taken once. */
export async function advanceRun(
  pool: pg.Pool,
  hold: RunHold,
  steps: readonly NumberedStep[],
  isInDoubt = false,
): Promise<Advance> {
  const sent = isInDoubt ? steps.map((step) => ({ ...step, seqs: countSeqs(step) })) : steps;
  const { rows } = await pool.query<{ answer: Advance }>({
    name: "agents-advance-run",
    text: "select private.advance_run($1, $2, $3, $4, $5) as answer",
    values: [hold.runId, hold.swarmId, hold.fence, toStorableJson(sent), isInDoubt],
  });
  const answer = rows[0]?.answer;
  if (answer === undefined) throw new Error("the database gave no answer about the run");
  return answer;
}

/** Models write zero bytes and halves of surrogate pairs, which PostgreSQL takes neither in values nor in keys. */
export function toStorableJson(value: unknown): string {
  return JSON.stringify(value).replace(/\\(?:\\|u0000|ud[89a-f][0-9a-f]{2})/g, (escape) =>
    escape === "\\\\" ? escape : "\\ufffd",
  );
}
