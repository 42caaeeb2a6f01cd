import type { Framework } from "@swarmbase/sdk";
import type pg from "pg";
import type { RunScene } from "../../runs/sql/load-run.ts";
import type { EventRow } from "./run-events.ts";
import { callValue } from "./call-function.ts";

/** What both statements are told of a call; names are those that the functions read. */
export interface CallFacts {
  readonly swarm_id: string;
  readonly user_id: string;
  readonly is_service: boolean;
  readonly message: string;
  readonly agent_ids: readonly string[] | null;
  readonly client_message_id: string | null;
  readonly idempotency_key: string | null;
  readonly request_hash: string;
}

export interface AdmissionFacts extends CallFacts {
  readonly reply_to_id: string | null;
  readonly mentions: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly on_conflict: string | null;
  readonly queue_limit: number;
  /** What the run keeps of the call. */
  readonly request: Readonly<Record<string, unknown>>;
  /** Null leaves the run in the queue. */
  readonly owner: string | null;
  readonly lease_ms: number;
}

export interface SurveyedAgent {
  readonly id: string;
  readonly name: string;
  readonly framework: Framework;
  readonly model: string | null;
}

export type Survey =
  | { readonly replayed_run_id: string }
  | {
      readonly replayed_run_id: null;
      readonly is_manager: boolean;
      readonly own_agent_ids: readonly string[];
      readonly agents: readonly SurveyedAgent[];
    };

export type Admission =
  | { readonly run_id: string; readonly is_replay: true }
  | {
      readonly run_id: string;
      readonly is_replay: false;
      readonly fence: number | null;
      /** Of a run that was started. */
      readonly scene: RunScene | null;
      readonly interrupted_run_id: string | null;
      readonly events: readonly EventRow[];
    };

export function surveySwarm(pool: pg.Pool, facts: CallFacts): Promise<Survey> {
  return callValue(pool, {
    name: "respond-survey",
    text: "select private.survey_swarm($1::jsonb) as value",
    values: [JSON.stringify(facts)],
  });
}

export function admitRun(pool: pg.Pool, facts: AdmissionFacts): Promise<Admission> {
  return callValue(pool, {
    name: "respond-admit",
    text: "select private.admit_run($1::jsonb) as value",
    values: [JSON.stringify(facts)],
  });
}
