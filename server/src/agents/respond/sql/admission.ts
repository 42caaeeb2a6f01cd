import type { Framework, SwarmStrategy } from "@swarmbase/sdk";
import type pg from "pg";
import type { TranscriptMessage } from "../../context/transcript.ts";
import type { RunContext } from "../../runs/sql/load-run.ts";
import type { EventRow, SpeakingAgent } from "../../runs/steps.ts";
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
  /** To be begun with the run, if it is started and all is still as it was when this was thought of. */
  readonly first_turn: FirstTurnFacts | null;
}

export interface FirstTurnFacts {
  readonly turn_id: string;
  readonly message_id: string;
  readonly agent_id: string;
  /** All who can speak in the swarm, in their order. */
  readonly speaker_ids: readonly string[];
  readonly default_models: Readonly<Record<string, string>>;
  readonly max_concurrent: number;
  readonly history_limit: number;
}

/** A call that nothing stands in the way of, most likely. Names are those that private.admit_runs reads. */
export interface PlainCall {
  readonly run_id: string;
  /** Of the message that is sent. */
  readonly sent_id: string;
  readonly swarm_id: string;
  readonly user_id: string;
  readonly message: string;
  readonly mentions: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly request: Readonly<Record<string, unknown>>;
  readonly turn_id: string;
  readonly reply_id: string;
  readonly agent_id: string;
  readonly speaker_ids: readonly string[];
  readonly default_models: Readonly<Record<string, string>>;
  readonly history_limit: number;
}

export interface SurveyedAgent {
  readonly id: string;
  readonly name: string;
  readonly framework: Framework;
  readonly model: string | null;
  readonly position: number;
}

export interface OpenPreflight {
  readonly replayed_run_id: null;
  readonly is_manager: boolean;
  readonly own_agent_ids: readonly string[];
  readonly strategy: SwarmStrategy;
  readonly coordinator_agent_id: string | null;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly agents: readonly SurveyedAgent[];
}

export type Survey = { readonly replayed_run_id: string } | OpenPreflight;

export type Admission =
  | { readonly run_id: string; readonly is_replay: true }
  | {
      readonly run_id: string;
      readonly is_replay: false;
      readonly fence: number | null;
      /** Of a run that was started. */
      readonly scene: RunContext | null;
      readonly interrupted_run_id: string | null;
      readonly first_turn: FirstTurn | null;
      /** False: there are none for webhooks. */
      readonly has_events?: boolean;
      readonly events: readonly EventRow[];
    };

/** A turn that was begun with its run. */
interface FirstTurn {
  readonly turn_id: string;
  readonly message_id: string;
  readonly agent: SpeakingAgent;
  readonly messages: readonly TranscriptMessage[];
}

export type Admitted = Admission & { readonly is_replay: false };

export function preflightSwarm(pool: pg.Pool, facts: CallFacts): Promise<Survey> {
  return callValue(pool, {
    name: "respond-survey",
    text: "select private.survey_swarm($1::jsonb) as value",
    values: [JSON.stringify(facts)],
  });
}

/** One survey for each plain call, in their order; null: private.survey_swarm knows what is in the way. */
export async function preflightSwarms(
  pool: pg.Pool,
  calls: readonly Pick<CallFacts, "swarm_id" | "user_id">[],
): Promise<(OpenPreflight | null)[]> {
  const found = await callValue<readonly { place: number; survey: OpenPreflight }[] | null>(pool, {
    name: "respond-survey-many",
    text: "select private.survey_swarms($1::jsonb) as value",
    values: [JSON.stringify(calls.map(({ swarm_id, user_id }, place) => ({ place, swarm_id, user_id })))],
  });
  const surveys: (OpenPreflight | null)[] = calls.map(() => null);
  for (const { place, survey } of found ?? []) surveys[place] = survey;
  return surveys;
}

export function admitRun(pool: pg.Pool, facts: AdmissionFacts): Promise<Admission> {
  return callValue(pool, {
    name: "respond-admit",
    text: "select private.admit_run($1::jsonb) as value",
    values: [JSON.stringify(facts)],
  });
}

interface AdmittedCalls {
  readonly runs: readonly {
    readonly run_id: string;
    readonly agent: SpeakingAgent;
    readonly events: readonly EventRow[];
  }[];
  readonly has_events: boolean;
  readonly scenes: readonly { readonly scene: RunContext; readonly messages: TranscriptColumns }[];
}

/** The latest first. */
type TranscriptColumns = { readonly [Name in keyof TranscriptMessage]: readonly TranscriptMessage[Name][] };

/** One answer for each call, in their order; null: for this one nothing was written. */
export async function admitRuns(
  pool: pg.Pool,
  calls: readonly PlainCall[],
  { owner, leaseMs }: { readonly owner: string; readonly leaseMs: number },
): Promise<(Admitted | null)[]> {
  const answer = await callValue<AdmittedCalls | null>(pool, {
    name: "respond-admit-many",
    text: "select private.admit_runs($1::jsonb, $2, $3) as value",
    values: [JSON.stringify(calls), owner, leaseMs],
  });
  const runs = new Map(answer?.runs.map((run) => [run.run_id, run]));
  const scenes = new Map(answer?.scenes.map((told) => [told.scene.run.id, told]));
  return calls.map(({ run_id: runId, turn_id: turnId, reply_id: replyId }) => {
    const [run, told] = [runs.get(runId), scenes.get(runId)];
    if (run === undefined || told === undefined) return null;
    const { scene, messages } = told;
    const firstTurn = { turn_id: turnId, message_id: replyId, agent: run.agent, messages: toRows(messages) };
    return {
      run_id: runId,
      is_replay: false,
      fence: 1,
      scene,
      interrupted_run_id: null,
      first_turn: firstTurn,
      has_events: answer?.has_events === true,
      events: run.events,
    };
  });
}

function toRows(columns: TranscriptColumns): TranscriptMessage[] {
  return columns.id
    .map((id, at) => ({
      id,
      seq: columns.seq[at] ?? 0,
      sender_type: columns.sender_type[at] ?? "system",
      sender_id: columns.sender_id[at] ?? null,
      sender_name: columns.sender_name[at] ?? "",
      content: columns.content[at] ?? null,
      reply_to_id: columns.reply_to_id[at] ?? null,
      run_id: columns.run_id[at] ?? null,
    }))
    .reverse();
}
