import { hash } from "node:crypto";
import type { Framework, SwarmStrategy } from "@swarmbase/sdk";
import type { Principal } from "../../db/index.ts";
import { AppError } from "../../errors/index.ts";
import { findMentions } from "../context/find-mentions.ts";
import { ModelError } from "../providers/model-error.ts";
import { parseTraceparent } from "../traceparent.ts";
import type { RunEvent } from "../runs/stream-hub.ts";
import type { RunPlace } from "../runs/run-places.ts";
import { expandEvent } from "./expand-event.ts";
import type { Subscriber } from "./subscriber.ts";
import type { RespondTools } from "./respond-tools.ts";
import { refusal } from "./refusals.ts";
import type { Admitted, CallFacts, OpenPreflight, SurveyedAgent } from "./sql/admission.ts";

/** What somebody asks of a swarm. */
export interface RunRequest {
  readonly swarmId: string;
  readonly message: string;
  readonly agentIds: readonly string[] | null;
  readonly onConflict: "enqueue" | "reject" | "interrupt" | null;
  readonly maxTurns: number | null;
  readonly replyToId: string | null;
  readonly clientMessageId: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly idempotencyKey: string | null;
  /** The body as it came, of which a repetition must be the same. */
  readonly fingerprint: string;
  readonly traceparent: string | null;
  /** Counts the answer that is about to be started; throws when the caller has none left. */
  charge(): Promise<void>;
}

export interface StartedFollow {
  readonly follower: Subscriber;
  readonly first: readonly RunEvent[];
  readonly isReplay: boolean;
}

/** Admits a run and begins to follow it, before anything else can happen to it. */
export async function startRun(
  tools: RespondTools,
  caller: Principal & { readonly userId: string },
  request: RunRequest,
  reader: { readonly signal: AbortSignal; readonly afterSeq: number },
): Promise<StartedFollow> {
  const { executor, following, desk, queueLimit } = tools;
  const { signal, afterSeq } = reader;
  const replay = async (runId: string): Promise<StartedFollow> => {
    const follower = await following.attach({ runId, caller, afterSeq, signal });
    return { follower, first: [], isReplay: true };
  };

  const facts = describeCall(caller, request);
  const survey = await desk.survey(facts);
  if (survey.replayed_run_id !== null) return replay(survey.replayed_run_id);
  const mentions = findMentions(request.message, survey.agents);
  const wantedIds = request.agentIds ?? (mentions.length > 0 ? mentions : null);
  requireModel(tools, survey.agents, wantedIds);
  await request.charge();

  const kept = describeRequest(caller, request, mentions);
  const offer = executor.offerRoom(frameworksOf(survey, wantedIds));
  const owner = offer?.owner ?? null;
  let isStarted = false;
  try {
    const admission = await desk.admit({
      ...facts,
      reply_to_id: request.replyToId,
      mentions,
      metadata: request.metadata,
      on_conflict: request.onConflict,
      queue_limit: queueLimit,
      request: kept,
      owner,
      lease_ms: executor.leaseMs,
      first_turn: owner === null ? null : desk.planFirstTurn(survey, { wantedIds, request: kept }),
    });
    if (admission.is_replay) return await replay(admission.run_id);
    const first = admission.events.flatMap((event) => expandEvent({ ...event, run_id: admission.run_id }));
    const follower = following.begin(
      { runId: admission.run_id, caller, afterSeq: first.at(-1)?.seq ?? 0, signal },
      { isManager: survey.is_manager, ownAgentIds: survey.own_agent_ids },
      admission.fence !== null,
    );
    handOn(tools, admission, offer);
    isStarted = admission.fence !== null;
    return { follower, first: first.filter(({ seq }) => seq > afterSeq), isReplay: false };
  } finally {
    if (!isStarted) offer?.release();
  }
}

function handOn({ executor, onEvents }: RespondTools, admission: Admitted, place: RunPlace | null): void {
  const { run_id: runId, fence, scene, interrupted_run_id: interruptedId, first_turn: turn } = admission;
  if (interruptedId !== null) executor.cancel(interruptedId);
  const opened = turn === null ? null : { ...turn, id: turn.turn_id, messageId: turn.message_id };
  if (fence !== null)
    executor.take({
      runId,
      fence,
      ...(scene !== null && { scene }),
      ...(opened !== null && { opened }),
      ...(place !== null && { place }),
    });
  else executor.wake();
  if (admission.has_events !== false) onEvents();
}

const COORDINATED: ReadonlySet<SwarmStrategy> = new Set(["handoff", "selector", "supervisor"]);

/** Of all agents that may speak in the run. `private.run_frameworks` decides the same for a run that has waited. */
function frameworksOf(
  { agents, strategy, coordinator_agent_id: coordinatorId }: OpenPreflight,
  wantedIds: readonly string[] | null,
): readonly Framework[] {
  const isMeant = (id: string): boolean =>
    wantedIds === null || wantedIds.includes(id) || (id === coordinatorId && COORDINATED.has(strategy));
  return agents.filter(({ id }) => isMeant(id)).map(({ framework }) => framework);
}

function describeCall(caller: Principal & { readonly userId: string }, request: RunRequest): CallFacts {
  const { idempotencyKey: key } = request;
  return {
    swarm_id: request.swarmId,
    user_id: caller.userId,
    is_service: caller.role === "service_role",
    message: request.message,
    agent_ids: request.agentIds,
    client_message_id: request.clientMessageId,
    // The service role's keys for a user are not that user's own.
    idempotency_key:
      key === null ? null : `${caller.role === "service_role" ? "service" : "user"}:${hash("sha256", key, "hex")}`,
    request_hash: hash("sha256", request.fingerprint, "hex"),
  };
}

/** Kept with the run and readable by the members of the swarm. */
function describeRequest(
  caller: Principal,
  { agentIds, maxTurns, traceparent }: RunRequest,
  mentions: readonly string[],
): Record<string, unknown> {
  return {
    source: "agent_respond",
    ...(agentIds !== null && { agent_ids: agentIds }),
    ...(mentions.length > 0 && { mentions }),
    ...(maxTurns !== null && { max_turns: maxTurns }),
    ...(parseTraceparent(traceparent) !== null && { traceparent }),
    ...(caller.role === "service_role" && { payer_id: caller.userId }),
  };
}

/** A run in which nobody could answer is refused before anything is stored. */
function requireModel(
  { models }: RespondTools,
  agents: readonly SurveyedAgent[],
  wantedIds: readonly string[] | null,
): void {
  const faults: ModelError[] = [];
  for (const { id, framework, model } of agents) {
    if (wantedIds !== null && !wantedIds.includes(id)) continue;
    try {
      models.describe(framework, model);
      return;
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      faults.push(error);
    }
  }
  const fault = faults.find(({ code }) => code === "PROVIDER_NOT_CONFIGURED") ?? faults[0];
  if (fault === undefined) throw refusal("NO_AGENTS");
  const code = fault.code === "INVALID_MODEL" ? "INVALID_MODEL" : "PROVIDER_NOT_CONFIGURED";
  throw new AppError(code, fault.message);
}
