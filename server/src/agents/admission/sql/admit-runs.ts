import type { Framework, SwarmStrategy } from "@swarmbase/sdk";
import { apiKeyIdOf, type Principal, readsAll, type Queryable } from "../../../db/index.ts";
import type { StartedRun } from "../../execution/execute-run.ts";
import type { OpenedTurn } from "../../run/live-run.ts";
import type { LoadedRun } from "../../run/sql/load-run.ts";
import { readTurn, type TurnRow } from "../../writer/sql/turn-row.ts";
import type { EventRow } from "../../streams/stream-hub.ts";
import type { NamedImage } from "../../providers/model-port.ts";
import type { Conversation, SentResult } from "../conversation.ts";
import { type Rejection, toRejectionError } from "../../rejections/rejections.ts";
import type { RunOrigin } from "../run-origin.ts";
import { callValue } from "../../rejections/call-function.ts";

/** A request to a swarm, in the JSON that private.preflight_swarms and private.admit_runs read. */
export interface AdmissionCall {
  readonly run_id: string;
  /** The id of the message that the user sends. */
  readonly sent_id: string;
  /** Null means the private swarm of the user and `agent_id`. */
  readonly swarm_id: string | null;
  readonly agent_id: string | null;
  /** Not null: a new swarm for this conversation takes the place of the private swarm. */
  readonly conversation: {
    readonly history: Conversation["history"];
    readonly tool_results: readonly SentResult[];
    readonly are_results_alone: boolean;
    readonly is_stored: boolean;
  } | null;
  readonly agent_version: number | null;
  /** With `agent_id`: a new private conversation begins beside the others. */
  readonly is_new_conversation: boolean;
  /** With `agent_id`: the conversation is one of those of what starts the run. Null means that it is a chat of the user. */
  readonly started_by: string | null;
  readonly cause: RunOrigin["cause"] | null;
  /** The call changes how the agent answers, which only its owner may. */
  readonly changes_agent: boolean;
  readonly has_client_tools: boolean;
  readonly user_id: string;
  readonly is_service: boolean;
  /** The API key that starts the run. */
  readonly api_key_id: string | null;
  /** Null for an API key and for the service role. */
  readonly session_id: string | null;
  readonly aal: string | null;
  /** The key does not read the conversations of its user, so its private swarms are its own. */
  readonly is_key_alone: boolean;
  readonly message: string;
  readonly agent_ids: readonly string[] | null;
  readonly reply_to_id: string | null;
  readonly mentions: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly client_message_id: string | null;
  /** The `client_message_id` or the id of a message of the user that is answered again. */
  readonly regenerates: string | null;
  readonly idempotency_key: string | null;
  /** Null without an `idempotency_key`. */
  readonly request_hash: string | null;
  readonly on_conflict: string | null;
  /** Stored with the run. */
  readonly request: Readonly<Record<string, unknown>>;
  /** The agents that may speak in the run; null means all enabled agents of the swarm. */
  readonly speaker_ids: readonly string[] | null;
  /** False leaves the run in the queue: this node has no capacity for it. */
  readonly has_place: boolean;
  /** Only of a call that is admitted: the others do not need them. */
  readonly images?: readonly NamedImage[];
  /** Starts with the run, if the run is not queued and the agents of the swarm have not changed. */
  readonly first_turn: FirstTurnPlan | null;
}

export interface FirstTurnPlan {
  readonly turn_id: string;
  readonly message_id: string;
  readonly agent_id: string;
  /** All agents that can speak in the swarm, in their order. */
  readonly speaker_ids: readonly string[];
  readonly default_models: Readonly<Record<string, string>>;
  readonly history_limit: number;
}

export interface PreflightAgent {
  readonly id: string;
  readonly name: string;
  readonly framework: Framework;
  readonly model: string | null;
  readonly position: number;
}

/** What the admission of a run needs to know about the swarm. */
export interface Preflight {
  readonly is_manager: boolean;
  readonly own_agent_ids: readonly string[];
  readonly strategy: SwarmStrategy;
  readonly coordinator_agent_id: string | null;
  /** With the strategy `handoff`, the agent to which the conversation was handed over last. */
  readonly in_charge_agent_id: string | null;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly agents: readonly PreflightAgent[];
}

export interface Admission {
  readonly run_id: string;
  /** Null means that the run is queued. */
  readonly started: StartedRun | null;
  readonly interrupted_run_id: string | null;
  /** False means that no webhook event was stored. */
  readonly has_events: boolean;
  readonly events: readonly EventRow[];
}

/** The request was sent before: this run answers it. */
export interface Replay {
  readonly replayed_run_id: string;
}

export type AdmissionAnswer<T> = T | Replay | { readonly rejection: Rejection };

/** A replay has neither a rejection nor a swarm. */
interface PreflightRow {
  readonly place: number;
  readonly rejection: Rejection | null;
  readonly replayed_run_id: string;
  readonly swarm: Preflight | null;
}

/** Returns one answer for each call, in their order. */
export async function preflightSwarms(
  pool: Queryable,
  calls: readonly AdmissionCall[],
): Promise<AdmissionAnswer<Preflight>[]> {
  const sent = calls.map((call, place) => ({
    place,
    swarm_id: call.swarm_id,
    user_id: call.user_id,
    is_service: call.is_service,
    agent_ids: call.agent_ids,
    changes_agent: call.changes_agent,
    has_client_tools: call.has_client_tools,
    ...((call.client_message_id !== null || call.idempotency_key !== null) && {
      message: call.message,
      client_message_id: call.client_message_id,
      idempotency_key: call.idempotency_key,
      request_hash: call.request_hash,
    }),
  }));
  const rows = await callValue<readonly PreflightRow[]>(pool, {
    name: "respond-preflight",
    text: "select private.preflight_swarms($1::jsonb) as value",
    values: [JSON.stringify(sent)],
  });
  const byPlace = new Map(rows.map((row) => [row.place, row]));
  return calls.map((_, place) => {
    const row = byPlace.get(place);
    if (row === undefined) throw new Error("the database returned no row for the swarm");
    if (row.rejection !== null) return { rejection: row.rejection };
    if (row.swarm !== null) return row.swarm;
    return { replayed_run_id: row.replayed_run_id };
  });
}

/** What a call to an agent leads to. */
type PrivateSwarm = AdmissionAnswer<{ readonly swarm: Preflight }> | { readonly swarm_id: string };

/** Looks for the private swarm of the user and the agent, or describes the one that the admission creates. */
export function preflightPrivateSwarm(pool: Queryable, call: AdmissionCall): Promise<PrivateSwarm> {
  return callValue(pool, {
    name: "respond-preflight-private",
    text: "select private.preflight_private_swarm($1::jsonb) as value",
    values: [JSON.stringify(call)],
  });
}

/** The private conversation with exactly the messages of the call, null without one; or the run that the call repeats. */
export async function findListedSwarm(
  pool: Queryable,
  call: AdmissionCall,
): Promise<Replay | { readonly swarm_id: string | null }> {
  const found = await callValue<AdmissionAnswer<{ readonly swarm_id: string | null }>>(pool, {
    name: "respond-find-listed",
    text: "select private.find_listed_swarm($1::jsonb) as value",
    values: [JSON.stringify(call)],
  });
  if ("rejection" in found) throw toRejectionError(found.rejection);
  return found;
}

/** The runs that the call replaces and that have not ended. */
export function listReplacedRuns(pool: Queryable, call: AdmissionCall): Promise<readonly string[]> {
  return callValue(pool, {
    name: "respond-replaced-runs",
    text: "select private.list_replaced_runs($1::jsonb) as value",
    values: [JSON.stringify(call)],
  });
}

export interface AdmitOptions {
  /** Names this process as the holder of leases. */
  readonly owner: string;
  readonly leaseMs: number;
  /** The maximum number of queued runs of a swarm. */
  readonly queueLimit: number;
}

interface AdmittedRow extends Omit<Admission, "started" | "has_events"> {
  readonly place: number;
  /** Null, and the two below: the run is queued. */
  readonly fence: number | null;
  readonly context: LoadedRun | null;
  readonly first_turn: TurnRow | null;
}

interface AdmissionRows {
  readonly admitted: readonly AdmittedRow[];
  readonly others: readonly {
    readonly place: number;
    readonly rejection?: Rejection;
    readonly replayed_run_id?: string;
  }[];
  readonly has_events: boolean;
}

/** Returns one answer for each call, in their order. Null means that nothing was written, because another transaction holds a lock. */
export async function admitRuns(
  pool: Queryable,
  calls: readonly AdmissionCall[],
  { owner, leaseMs, queueLimit }: AdmitOptions,
): Promise<(AdmissionAnswer<Admission> | null)[]> {
  const leasedAtMs = performance.now();
  const batch = calls.map(({ images: _images, ...call }, place) => ({ ...call, place }));
  const images = calls.flatMap((call) =>
    (call.images ?? []).map(({ name, mediaType, data }, position) => ({
      run_id: call.run_id,
      position,
      name,
      media_type: mediaType,
      data,
    })),
  );
  const values = [JSON.stringify(batch), owner, leaseMs, queueLimit];
  const { admitted, others, has_events } = await callValue<AdmissionRows>(
    pool,
    images.length === 0
      ? { name: "respond-admit", text: "select private.admit_runs($1::jsonb, $2, $3, $4) as value", values }
      : {
          name: "respond-admit-images",
          text: "select private.admit_runs_with_images($1::jsonb, $2, $3, $4, $5::jsonb) as value",
          values: [...values, JSON.stringify(images)],
        },
  );
  const answers: (AdmissionAnswer<Admission> | null)[] = calls.map(() => null);
  for (const { place, fence, context, first_turn: turn, ...row } of admitted) {
    const opened = toOpenedTurn(calls[place]?.first_turn ?? null, turn);
    const found = { ...(context !== null && { context }), ...(opened !== null && { opened }) };
    const started = fence === null ? null : { runId: row.run_id, fence, leasedAtMs, ...found };
    answers[place] = { ...row, started, has_events };
  }
  for (const { place, rejection, replayed_run_id: runId } of others) {
    if (rejection !== undefined) answers[place] = { rejection };
    else if (runId !== undefined) answers[place] = { replayed_run_id: runId };
  }
  return answers;
}

function toOpenedTurn(plan: FirstTurnPlan | null, started: AdmittedRow["first_turn"]): OpenedTurn | null {
  if (plan === null || started === null) return null;
  return { id: plan.turn_id, messageId: plan.message_id, ...readTurn(started, plan.turn_id) };
}

/** Throws when the principal is an API key that may not ask there. */
export async function requireKeyTarget(
  pool: Queryable,
  principal: Principal,
  { swarmId, agentId }: { readonly swarmId: string | null; readonly agentId: string | null },
): Promise<void> {
  if (readsAll(principal)) return;
  const rejection = await callValue<Rejection | null>(pool, {
    name: "respond-key-target",
    text: "select private.check_key_target($1::uuid, $2::uuid, $3::uuid) as value",
    values: [apiKeyIdOf(principal), swarmId, agentId],
  });
  if (rejection !== null) throw toRejectionError(rejection);
}
