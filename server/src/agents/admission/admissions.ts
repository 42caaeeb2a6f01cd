import type pg from "pg";
import { AppError } from "../../errors/index.ts";
import { createRunBatcher } from "../batcher.ts";
import { toAppError } from "../respond/rejections.ts";
import {
  type Admission,
  type AdmissionAnswer,
  type AdmissionCall,
  admitRuns,
  type AdmitOptions,
  type Preflight,
  type PreflightAnswer,
  preflightSwarms,
} from "./sql/admit-runs.ts";

export interface AdmissionsOptions extends AdmitOptions {
  readonly pool: pg.Pool;
  /** How many runs are in progress here. */
  countRuns(): number;
}

type Replay = { readonly replayed_run_id: string };

/** Both reject with the error that the caller gets. */
export interface Admissions {
  preflight(call: AdmissionCall): Promise<Preflight | Replay>;
  admit(call: AdmissionCall): Promise<Admission | Replay>;
}

const MAX_CALLS = 50;

export function openAdmissions({ pool, countRuns, ...options }: AdmissionsOptions): Admissions {
  const preflight = createRunBatcher<AdmissionCall, PreflightAnswer>({
    maxItems: MAX_CALLS,
    countRuns,
    send: (calls) => preflightSwarms(pool, calls),
  });
  const admit = createRunBatcher<AdmissionCall, AdmissionAnswer>({
    maxItems: MAX_CALLS,
    countRuns,
    keysOf: ({ swarm_id: swarmId, first_turn: turn, idempotency_key: key }) => [
      swarmId,
      ...(turn === null ? [] : [turn.agent_id]),
      ...(key === null ? [] : [key]),
    ],
    send: (calls) => admitRuns(pool, calls, options),
    // A lost connection does not say what was stored, and a message must not be stored twice.
    isInDoubt: (error) => error instanceof AppError && error.code === "SERVICE_UNAVAILABLE",
  });
  return {
    async preflight(call) {
      const answer = await preflight(call);
      if ("rejection" in answer) throw toAppError(answer.rejection);
      return answer;
    },
    async admit(call) {
      const answer = await admit(call);
      if ("rejection" in answer) throw toAppError(answer.rejection);
      return answer;
    },
  };
}
