import type pg from "pg";
import type { Principal, PrincipalForUser } from "../../db/index.ts";
import { findResponseSchemaFault } from "../schemas/response-schema.ts";
import { findClientToolFault } from "../tools/client/client-tools.ts";
import type { SchemaCompiler } from "../schemas/schema-compiler.ts";
import { readRunLimits } from "../strategies/run-limits.ts";
import { type Answering, decideNext } from "../strategies/who-answers.ts";
import { defaultModels } from "../turn/run-turn.ts";
import type { Models } from "../providers/open-models.ts";
import type { Executor } from "../execution/create-executor.ts";
import type { Subscribers } from "../streams/subscribers.ts";
import type { RunEvent } from "../streams/stream-hub.ts";
import { expandEvent } from "../streams/event-reader.ts";
import type { Subscriber } from "../streams/subscriber.ts";
import { createRejection } from "../rejections/rejections.ts";
import type { Admissions } from "./admissions.ts";
import { planRun } from "./plan-run.ts";
import type { RunRequest } from "./run-request.ts";
import {
  findListedSwarm,
  type FirstTurnPlan,
  listReplacedRuns,
  type Preflight,
  type PreflightAgent,
  type Replay,
  requireKeyTarget,
} from "./sql/admit-runs.ts";
import { changesAgent, toAdmissionCall } from "./to-admission-call.ts";

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

interface StartedSubscription {
  readonly subscriber: Subscriber;
  readonly first: readonly RunEvent[];
  readonly isReplay: boolean;
}

/** Admits a run and subscribes to it before anything else can happen to it. */
export async function startRun(
  ports: RespondPorts,
  principal: PrincipalForUser,
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
  const planned = await planRun(ports, principal, request);
  if ("replayed_run_id" in planned) return replay(planned.replayed_run_id);
  const { call, preflight, answering } = planned;
  if (call.regenerates !== null)
    for (const runId of await listReplacedRuns(ports.pool, call)) await ports.endRun(principal, runId, signal);

  const place = executor.reservePlace({
    frameworks: answering.speakers.map(({ framework }) => framework),
    userId: principal.userId,
  });
  let isStarted = false;
  try {
    const admission = await admissions.admit({
      ...call,
      ...(request.images.length > 0 && { images: request.images }),
      has_place: place !== null,
      first_turn: place === null ? null : planFirstTurn(ports, preflight, { answering, request: call.request }),
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
  principal: PrincipalForUser,
  request: RunRequest,
): Promise<RunRequest | Replay> {
  const { conversation } = request;
  if (!request.continuesConversation || conversation === null || changesAgent(conversation)) return request;
  if (conversation.history.length === 0) return { ...request, isNewConversation: true, conversation: null };
  const found = await findListedSwarm(ports.pool, toAdmissionCall(ports.newId, principal, request));
  if ("replayed_run_id" in found) return found;
  const { swarm_id: swarmId } = found;
  return swarmId === null ? request : { ...request, swarmId, agentId: null, conversation: null };
}

/**
 * Plans the first turn when a single agent speaks first and is known before the admission. Null means that the executor decides.
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

function requireSchemas({ schemas }: RespondPorts, { responseSchema, clientTools, toolChoice }: RunRequest): void {
  const fault = responseSchema === null ? null : findResponseSchemaFault(schemas, responseSchema);
  if (fault !== null) throw createRejection("VALIDATION_ERROR", { response_schema: fault });
  const toolFault = findClientToolFault(schemas, clientTools);
  if (toolFault !== null)
    throw createRejection("VALIDATION_ERROR", { [`client_tools${toolFault.path}`]: toolFault.message });
  if (toolChoice !== null && !clientTools.some(({ name }) => toolChoice === "required" || toolChoice.name === name))
    throw createRejection("VALIDATION_ERROR", { tool_choice: "names no tool of this call" });
}
