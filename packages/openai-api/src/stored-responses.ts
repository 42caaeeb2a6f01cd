import { createRandomId, invokeFunction, isUuid, type Run } from "@swarmbase/sdk";
import {
  type ExtensionCore,
  type ExtensionRequest,
  type ExtensionResponse,
  isRecord,
  readRows,
} from "swarmbase/extension";
import { toRespondBody } from "./answer.ts";
import type { Ask } from "./ask.ts";
import type { Entry } from "./conversation.ts";
import { RequestFault } from "./errors.ts";
import { renderMessage, renderResponse, type ResponseHead, type ResponseStatus } from "./response-object.ts";
import { loadTarget } from "./target.ts";

const PREFIX = "resp_";
/** The service rejects a longer conversation, so that nothing of it is lost unnoticed. */
const MAX_MESSAGES = 500;

interface RunRow {
  readonly id: string;
  readonly swarm_id: string;
  readonly message_id: string | null;
  readonly status: Run["status"];
  readonly request: Readonly<Record<string, unknown>>;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly usage: Run["usage"] | null;
  readonly created_at: string;
}

interface MessageRow {
  readonly id: string;
  readonly turn_id: string | null;
  readonly sender_type: "user" | "agent" | "system";
  readonly sender_name: string;
  readonly content: string | null;
}

function notFound(id: unknown): RequestFault {
  const message = `The response ${String(id).slice(0, 100)} does not exist or is not stored`;
  return new RequestFault(message, { status: 404, code: "RUN_NOT_FOUND" });
}

function toRunId(id: unknown): string {
  const runId = typeof id === "string" && id.startsWith(PREFIX) ? id.slice(PREFIX.length) : "";
  if (!isUuid(runId)) throw notFound(id);
  return runId;
}

/** A response that is not stored is in a hidden swarm, which its caller does not see. */
async function readRun(core: ExtensionCore, id: unknown): Promise<RunRow> {
  const select = "id,swarm_id,message_id,status,request,error,usage,created_at";
  const [run] = await readRows<RunRow>(core, "/runs", `id=eq.${toRunId(id)}&select=${select}`);
  if (run === undefined) throw notFound(id);
  return run;
}

/** The conversation up to the response, for `previous_response_id`. The swarm can have gone on since. */
export async function readPrevious(core: ExtensionCore, id: unknown): Promise<Entry[]> {
  const run = await readRun(core, id);
  // Without an answer, the conversation ends with the message that it was to answer.
  const own = `or=(run_id.eq.${run.id},id.eq.${run.message_id})`;
  const swarm = `swarm_id=eq.${run.swarm_id}`;
  const newest = "order=seq.desc";
  const [last] = await readRows<{ seq: number }>(core, "/messages", `${swarm}&${own}&select=seq&${newest}&limit=1`);
  const query = `${swarm}&seq=lte.${last?.seq ?? 0}&select=sender_type,content&${newest}&limit=${MAX_MESSAGES}`;
  const messages = await readRows<Pick<MessageRow, "sender_type" | "content">>(core, "/messages", query);
  return messages.toReversed().flatMap(({ sender_type: sender, content }) => {
    if (content === null || sender === "system") return [];
    return [{ role: sender === "agent" ? "assistant" : "user", content } as const];
  });
}

interface BackgroundOptions {
  readonly idempotencyKey: string | undefined;
  head(runId: string): ResponseHead;
}

export async function startInBackground(
  core: ExtensionCore,
  ask: Ask,
  { idempotencyKey, head }: BackgroundOptions,
): Promise<object> {
  await loadTarget(core, ask.target);
  const headers = { "idempotency-key": idempotencyKey ?? createRandomId() };
  const run = await invokeFunction(core, "agent-respond", { ...toRespondBody(ask), background: true }, { headers });
  return { ...renderResponse(head(run.run_id), toState(run)), background: true };
}

/** GET /v1/responses/:id */
export async function getResponse({ core, params }: ExtensionRequest): Promise<ExtensionResponse> {
  const run = await readRun(core, params["id"]);
  const query = `run_id=eq.${run.id}&sender_type=eq.agent&select=id,turn_id,sender_name,content&order=seq`;
  const messages = await readRows<Omit<MessageRow, "sender_type">>(core, "/messages", query);
  const output = messages.map(({ turn_id: turnId, id, sender_name: name, content }) =>
    renderMessage(turnId ?? id, name, content ?? ""),
  );
  return {
    body: renderResponse(headOf(run), { status: STATUSES[run.status], output, usage: run.usage, error: run.error }),
  };
}

/** POST /v1/responses/:id/cancel */
export async function cancelResponse({ core, params }: ExtensionRequest): Promise<ExtensionResponse> {
  const row = await readRun(core, params["id"]);
  const run = await invokeFunction(core, "agent-respond", { action: "cancel", run_id: row.id });
  return { body: renderResponse(headOf(row), toState(run)) };
}

const STATUSES: Readonly<Record<Run["status"], ResponseStatus>> = {
  queued: "queued",
  running: "in_progress",
  requires_action: "in_progress",
  completed: "completed",
  partial: "completed",
  failed: "failed",
  cancelled: "cancelled",
};

function toState({ status, responses, usage, errors }: Run) {
  return {
    status: STATUSES[status],
    output: responses.map(({ turn_id: turnId, agent_name: name, message }) =>
      renderMessage(turnId, name, message.content ?? ""),
    ),
    usage,
    error: status === "failed" ? (errors[0] ?? null) : null,
  };
}

function headOf({ id, swarm_id: swarmId, request, created_at: createdAt }: RunRow): ResponseHead {
  const [agentId] = isRecord(request) && Array.isArray(request["agent_ids"]) ? (request["agent_ids"] as unknown[]) : [];
  return {
    runId: id,
    createdAt: Math.floor(Date.parse(createdAt) / 1_000),
    model: "store" in request ? `agent:${String(agentId)}` : `swarm:${swarmId}`,
    previousId: null,
    isStored: true,
    metadata: {},
  };
}
