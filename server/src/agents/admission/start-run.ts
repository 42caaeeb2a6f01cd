import { hash } from "node:crypto";
import type { Framework } from "@swarmbase/sdk";
import type { Principal } from "../../db/index.ts";
import { AppError } from "../../errors/index.ts";
import { findMentions } from "../context/find-mentions.ts";
import { STRATEGIES } from "../strategies/decide-next.ts";
import { ModelError } from "../providers/model-error.ts";
import { parseTraceparent } from "../traceparent.ts";
import type { RunEvent } from "../streams/stream-hub.ts";
import type { RunPlace } from "../execution/run-places.ts";
import { expandEvent } from "../streams/expand-event.ts";
import type { Subscriber } from "../streams/subscriber.ts";
import { planFirstTurn } from "./plan-first-turn.ts";
import { createRejection } from "../respond/rejections.ts";
import type { RespondPorts } from "./admission-ports.ts";
import type { Admission, AdmissionCall, Preflight, PreflightAgent } from "./sql/admit-runs.ts";

/** A call to the agents of a swarm. */
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
  /** The body as it came: a repetition with the same key must have the same. */
  readonly fingerprint: string;
  readonly traceparent: string | null;
  /** Counts the run against the caller's limit. Throws when none is left. */
  charge(): Promise<void>;
}

export interface StartedSubscription {
  readonly subscriber: Subscriber;
  readonly first: readonly RunEvent[];
  readonly isReplay: boolean;
}

type UserCaller = Principal & { readonly userId: string };

/** Admits a run and subscribes to it before anything else can happen to it. */
export async function startRun(
  ports: RespondPorts,
  caller: UserCaller,
  request: RunRequest,
  reader: { readonly signal: AbortSignal; readonly afterSeq: number },
): Promise<StartedSubscription> {
  const { executor, subscribers, admissions } = ports;
  const { signal, afterSeq } = reader;
  const replay = async (runId: string): Promise<StartedSubscription> => {
    const subscriber = await subscribers.attach({ runId, caller, afterSeq, signal });
    return { subscriber, first: [], isReplay: true };
  };

  const call = describeCall(ports, caller, request);
  const preflight = await admissions.preflight(call);
  if ("replayed_run_id" in preflight) return replay(preflight.replayed_run_id);
  const mentions = findMentions(request.message, preflight.agents);
  const namedIds = request.agentIds ?? (mentions.length > 0 ? mentions : null);
  requireModel(ports, preflight.agents, namedIds);
  await request.charge();

  const stored = describeRequest(caller, request, mentions);
  const place = executor.reservePlace(frameworksOf(preflight, namedIds));
  let isStarted = false;
  try {
    const admission = await admissions.admit({
      ...call,
      mentions,
      request: stored,
      has_place: place !== null,
      first_turn: place === null ? null : planFirstTurn(ports, preflight, { namedIds, request: stored }),
    });
    if ("replayed_run_id" in admission) return await replay(admission.replayed_run_id);
    const first = admission.events.flatMap((event) => expandEvent({ ...event, run_id: admission.run_id }));
    const subscriber = subscribers.begin(
      { runId: admission.run_id, caller, afterSeq: first.at(-1)?.seq ?? 0, signal },
      { isManager: preflight.is_manager, ownAgentIds: preflight.own_agent_ids },
      admission.fence !== null,
    );
    handOver(ports, admission, place);
    isStarted = admission.fence !== null;
    return { subscriber, first: first.filter(({ seq }) => seq > afterSeq), isReplay: false };
  } finally {
    if (!isStarted) place?.release();
  }
}

function handOver({ executor, onEvents }: RespondPorts, admission: Admission, place: RunPlace | null): void {
  const { run_id: runId, fence, context, interrupted_run_id: interruptedId, first_turn: opened } = admission;
  if (interruptedId !== null) executor.cancel(interruptedId);
  if (fence !== null)
    executor.take({
      runId,
      fence,
      ...(context !== null && { context }),
      ...(opened !== null && { opened }),
      ...(place !== null && { place }),
    });
  else executor.wake();
  if (admission.has_events) onEvents();
}

/** Of all agents that may speak in the run. `private.list_run_frameworks` decides the same for a run that has waited. */
function frameworksOf(
  { agents, strategy, coordinator_agent_id: coordinatorId }: Preflight,
  namedIds: readonly string[] | null,
): readonly Framework[] {
  const maySpeak = (id: string): boolean =>
    namedIds === null || namedIds.includes(id) || (id === coordinatorId && STRATEGIES[strategy].alwaysHasCoordinator);
  return agents.filter(({ id }) => maySpeak(id)).map(({ framework }) => framework);
}

/** The call as it is known before the swarm is. */
function describeCall({ newId }: RespondPorts, caller: UserCaller, request: RunRequest): AdmissionCall {
  const { idempotencyKey: key } = request;
  return {
    run_id: newId(),
    sent_id: newId(),
    swarm_id: request.swarmId,
    user_id: caller.userId,
    is_service: caller.role === "service_role",
    message: request.message,
    agent_ids: request.agentIds,
    reply_to_id: request.replyToId,
    mentions: [],
    metadata: request.metadata,
    client_message_id: request.clientMessageId,
    // The service role's keys for a user are not that user's own.
    idempotency_key:
      key === null ? null : `${caller.role === "service_role" ? "service" : "user"}:${hash("sha256", key, "hex")}`,
    request_hash: hash("sha256", request.fingerprint, "hex"),
    on_conflict: request.onConflict,
    request: {},
    has_place: false,
    first_turn: null,
  };
}

/** Stored with the run and readable by the members of the swarm. */
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

/** Rejects a run that no agent could answer, before anything is stored. */
function requireModel(
  { models }: RespondPorts,
  agents: readonly PreflightAgent[],
  namedIds: readonly string[] | null,
): void {
  const faults: ModelError[] = [];
  for (const { id, framework, model } of agents) {
    if (namedIds !== null && !namedIds.includes(id)) continue;
    try {
      models.describe(framework, model);
      return;
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      faults.push(error);
    }
  }
  const fault = faults.find(({ code }) => code === "PROVIDER_NOT_CONFIGURED") ?? faults[0];
  if (fault === undefined) throw createRejection("NO_AGENTS");
  const code = fault.code === "INVALID_MODEL" ? "INVALID_MODEL" : "PROVIDER_NOT_CONFIGURED";
  throw new AppError(code, fault.message);
}
