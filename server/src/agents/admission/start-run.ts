import { hash } from "node:crypto";
import type pg from "pg";
import { apiKeyIdOf, type Principal, readsAll } from "../../db/index.ts";
import type { JsonRecord } from "../../json/index.ts";
import { findResponseSchemaFault } from "../schemas/response-schema.ts";
import { type ClientTool, findClientToolFault } from "../tools/client/client-tools.ts";
import type { SchemaCompiler } from "../schemas/compile-schema.ts";
import { parseTraceparent } from "../../observe/index.ts";
import { readRunLimits } from "../strategies/run-limits.ts";
import { type Answering, decideAnswering, decideNext } from "../strategies/who-answers.ts";
import { defaultModels } from "../turn/run-turn.ts";
import type { Models } from "../providers/open-models.ts";
import type { Executor } from "../execution/create-executor.ts";
import type { Subscribers } from "../streams/subscribers.ts";
import type { RunEvent } from "../streams/stream-hub.ts";
import { expandEvent } from "../streams/event-reader.ts";
import type { Subscriber } from "../streams/subscriber.ts";
import { createRejection } from "../rejections/rejections.ts";
import type { Admissions } from "./admissions.ts";
import { requireModel } from "./require-model.ts";
import {
  type AdmissionCall,
  type Conversation,
  findListedSwarm,
  type FirstTurnPlan,
  listReplacedRuns,
  type Preflight,
  type PreflightAgent,
  type Replay,
  requireKeyTarget,
} from "./sql/admit-runs.ts";

/** The dependencies of starting a run. */
export interface RespondPorts {
  readonly pool: pg.Pool;
  readonly executor: Executor;
  readonly subscribers: Subscribers;
  readonly admissions: Admissions;
  readonly models: Pick<Models, "describe">;
  readonly schemas: SchemaCompiler;
  newId(): string;
  /** Cancels a run and waits for its end. */
  endRun(principal: Principal, runId: string, signal: AbortSignal): Promise<unknown>;
  /** Called when something was stored that may have raised events. */
  onEvents(): void;
}

/** A request to the agents of a swarm. */
export interface RunRequest {
  /** Null: the private swarm of the user and `agentId`, which the first request creates. */
  readonly swarmId: string | null;
  readonly agentId: string | null;
  /** With `agentId`: the agent answers in a new swarm with these messages instead of the private one. */
  readonly conversation: Conversation | null;
  /** With `agentId`: begins a private conversation beside those that exist. */
  readonly isNewConversation: boolean;
  /**
   * With `conversation`: continues the private conversation that has exactly its messages. A single message begins one. Without
   * such a conversation, the call is as any other with messages.
   */
  readonly continuesConversation: boolean;
  /** The body has members that change how the agent answers, whether the call honours them or not. */
  readonly namesOverrides: boolean;
  readonly message: string;
  readonly agentIds: readonly string[] | null;
  readonly onConflict: "enqueue" | "reject" | "interrupt" | null;
  readonly maxTurns: number | null;
  /** A JSON Schema for the answers; null: that of each agent applies. */
  readonly responseSchema: JsonRecord | null;
  /** Tools for this run alone, which the client executes. */
  readonly clientTools: readonly ClientTool[];
  readonly replyToId: string | null;
  readonly clientMessageId: string | null;
  /** The `client_message_id` or the id of a message of the user: the run replaces its answers. */
  readonly regenerates: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly idempotencyKey: string | null;
  /** The request body: a request with the same idempotency key must have the same. */
  readonly fingerprint: string;
  readonly traceparent: string | null;
  /** Counts the run against the rate limit of the user. Throws when the limit is reached. */
  charge(): Promise<void>;
}

export interface StartedSubscription {
  readonly subscriber: Subscriber;
  readonly first: readonly RunEvent[];
  readonly isReplay: boolean;
}

type UserPrincipal = Principal & { readonly userId: string };

/** Admits a run and subscribes to it before anything else can happen to it. */
export async function startRun(
  ports: RespondPorts,
  principal: UserPrincipal,
  sent: RunRequest,
  reader: { readonly signal: AbortSignal; readonly afterSeq: number },
): Promise<StartedSubscription> {
  const { executor, subscribers, admissions } = ports;
  const { signal, afterSeq } = reader;
  requireSchemas(ports, sent);
  await requireKeyTarget(ports.pool, principal, sent);
  const replay = async (runId: string): Promise<StartedSubscription> => {
    const subscriber = await subscribers.attach({ runId, principal, afterSeq, signal });
    return { subscriber, first: [], isReplay: true };
  };

  const request = await placeConversation(ports, principal, sent);
  if ("replayed_run_id" in request) return replay(request.replayed_run_id);
  const call = toAdmissionCall(ports, principal, request);
  const found = await admissions.preflight(call);
  if ("replayed_run_id" in found) return replay(found.replayed_run_id);
  const preflight = withOverrides(found, request);
  const answering = decideAnswering({
    strategy: preflight.strategy,
    agents: preflight.agents,
    coordinatorId: preflight.coordinator_agent_id,
    agentIds: request.agentIds,
    message: request.message,
  });
  const { mentions, speakers, isNarrowed } = answering;
  requireModel(ports.models, preflight, answering);
  await request.charge();
  if (call.regenerates !== null)
    for (const runId of await listReplacedRuns(ports.pool, call)) await ports.endRun(principal, runId, signal);

  const stored = toStoredRequest(principal, request, mentions);
  const place = executor.reservePlace({
    frameworks: speakers.map(({ framework }) => framework),
    userId: principal.userId,
  });
  let isStarted = false;
  try {
    const admission = await admissions.admit({
      ...call,
      mentions,
      request: stored,
      speaker_ids: isNarrowed ? speakers.map(({ id }) => id) : null,
      has_place: place !== null,
      first_turn: place === null ? null : planFirstTurn(ports, preflight, { answering, request: stored }),
    });
    if ("replayed_run_id" in admission) return await replay(admission.replayed_run_id);
    const first = admission.events.flatMap((event) => expandEvent({ ...event, run_id: admission.run_id }));
    const subscriber = subscribers.begin(
      { runId: admission.run_id, principal, afterSeq: first.at(-1)?.seq ?? 0, signal },
      { userId: principal.userId, isManager: preflight.is_manager, ownAgentIds: preflight.own_agent_ids },
      admission.started !== null,
    );
    if (admission.interrupted_run_id !== null) executor.cancel(admission.interrupted_run_id);
    if (admission.started === null) executor.wake();
    else executor.take({ ...admission.started, ...(place !== null && { place }) });
    if (admission.has_events) ports.onEvents();
    isStarted = admission.started !== null;
    return { subscriber, first: first.filter(({ seq }) => seq > afterSeq), isReplay: false };
  } finally {
    if (!isStarted) place?.release();
  }
}

/** The request to the private conversation that its messages are; the same request when they are none. */
async function placeConversation(
  ports: RespondPorts,
  principal: UserPrincipal,
  request: RunRequest,
): Promise<RunRequest | Replay> {
  const { conversation } = request;
  if (!request.continuesConversation || conversation === null || changesAgent(conversation)) return request;
  if (conversation.history.length === 0) return { ...request, isNewConversation: true, conversation: null };
  const found = await findListedSwarm(ports.pool, toAdmissionCall(ports, principal, request));
  if ("replayed_run_id" in found) return found;
  const { swarm_id: swarmId } = found;
  return swarmId === null ? request : { ...request, swarmId, agentId: null, conversation: null };
}

/** The agents as they answer in this run. */
function withOverrides(preflight: Preflight, { agentId, conversation }: RunRequest): Preflight {
  if (conversation === null) return preflight;
  const { framework, model } = conversation.overrides;
  const agents = preflight.agents.map((agent) =>
    agent.id === agentId
      ? { ...agent, ...(framework !== undefined && { framework }), ...(model !== undefined && { model }) }
      : agent,
  );
  return { ...preflight, agents };
}

/**
 * Plans the first turn when a single agent speaks first and is known before the admission. Null: the executor decides.
 * `request`: stored with the run.
 */
function planFirstTurn(
  { models, newId }: RespondPorts,
  preflight: Preflight,
  { answering, request }: { readonly answering: Answering<PreflightAgent>; readonly request: unknown },
): FirstTurnPlan | null {
  const { agents, strategy, settings } = preflight;
  const limits = readRunLimits(settings, request);
  const step = decideNext({
    ...limits,
    strategy,
    ...answering,
    inChargeId: preflight.in_charge_agent_id,
    turns: [],
    selected: null,
  });
  const [agentId, ...others] = step.type === "turns" ? step.agentIds : [];
  if (agentId === undefined || others.length > 0) return null;
  return {
    turn_id: newId(),
    message_id: newId(),
    agent_id: agentId,
    speaker_ids: agents.map(({ id }) => id),
    default_models: defaultModels(
      models,
      agents.flatMap(({ id, framework }) => (id === agentId ? [framework] : [])),
    ),
    history_limit: limits.historyLimit + 1,
  };
}

/** The call without what depends on the swarm. */
function toAdmissionCall({ newId }: RespondPorts, principal: UserPrincipal, request: RunRequest): AdmissionCall {
  const { idempotencyKey: key, conversation } = request;
  return {
    run_id: newId(),
    sent_id: newId(),
    swarm_id: request.swarmId,
    agent_id: request.agentId,
    conversation: conversation && { history: conversation.history, is_stored: conversation.isStored },
    agent_version: conversation?.agentVersion ?? null,
    is_new_conversation: request.isNewConversation,
    changes_agent: request.namesOverrides || (conversation !== null && changesAgent(conversation)),
    has_client_tools: request.clientTools.length > 0,
    user_id: principal.userId,
    is_service: principal.role === "service_role",
    api_key_id: apiKeyIdOf(principal),
    session_id: principal.scopes === undefined ? (principal.session?.sessionId ?? null) : null,
    aal: principal.claims["aal"] === "aal2" ? "aal2" : "aal1",
    is_key_alone: !readsAll(principal),
    message: request.message,
    agent_ids: request.agentIds,
    reply_to_id: request.replyToId,
    mentions: [],
    metadata: request.metadata,
    client_message_id: request.clientMessageId,
    regenerates: request.regenerates,
    idempotency_key: key === null ? null : `${idempotencySpaceOf(principal)}:${hash("sha256", key, "hex")}`,
    request_hash: key === null ? null : hash("sha256", request.fingerprint, "hex"),
    on_conflict: request.onConflict,
    request: {},
    speaker_ids: null,
    has_place: false,
    first_turn: null,
  };
}

function changesAgent({ instructions, settings, agentVersion, overrides }: Conversation): boolean {
  return (
    Boolean(instructions) ||
    agentVersion !== null ||
    Object.keys(settings).length > 0 ||
    Object.keys(overrides).length > 0
  );
}

/** Idempotency keys of the service role on behalf of a user, and of API keys, are separate from those of the user. */
function idempotencySpaceOf(principal: UserPrincipal): string {
  return principal.role === "service_role" ? "service" : (apiKeyIdOf(principal) ?? "user");
}

/** Stored with the run and readable by the members of the swarm. */
function toStoredRequest(
  principal: Principal,
  { agentIds, maxTurns, responseSchema, conversation, clientTools, traceparent }: RunRequest,
  mentions: readonly string[],
): Record<string, unknown> {
  return {
    source: "agent_respond",
    ...(agentIds !== null && { agent_ids: agentIds }),
    ...(mentions.length > 0 && { mentions }),
    ...(maxTurns !== null && { max_turns: maxTurns }),
    ...(responseSchema !== null && { response_schema: responseSchema }),
    ...(conversation !== null && { store: conversation.isStored, settings: conversation.settings }),
    ...(conversation?.instructions && { instructions: conversation.instructions }),
    ...(conversation?.agentVersion && { agent_version: conversation.agentVersion }),
    ...(conversation !== null &&
      Object.keys(conversation.overrides).length > 0 && { overrides: conversation.overrides }),
    ...(clientTools.length > 0 && { client_tools: clientTools }),
    ...(parseTraceparent(traceparent) !== null && { traceparent }),
    ...(principal.role === "service_role" && { payer_id: principal.userId }),
  };
}

function requireSchemas({ schemas }: RespondPorts, { responseSchema, clientTools }: RunRequest): void {
  const fault = responseSchema === null ? null : findResponseSchemaFault(schemas, responseSchema);
  if (fault !== null) throw createRejection("VALIDATION_ERROR", { response_schema: fault });
  const toolFault = findClientToolFault(schemas, clientTools);
  if (toolFault !== null)
    throw createRejection("VALIDATION_ERROR", { [`client_tools${toolFault.path}`]: toolFault.message });
}
