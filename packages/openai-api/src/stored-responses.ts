import { createRandomId, invokeFunction, type Run } from "@swarmbase/sdk";
import type { ExtensionCore, ExtensionRequest, ExtensionResponse } from "swarmbase/extension";
import { toRespondBody } from "./answer.ts";
import type { Ask } from "./ask.ts";
import type { Entry } from "./conversation.ts";
import { isRecord, RequestFault } from "./errors.ts";
import { renderMessage, renderResponse, type ResponseHead, type ResponseStatus } from "./response-object.ts";
import { isUuid, loadTarget } from "./target.ts";

const PREFIX = "resp_";

interface RunRow {
  readonly id: string;
  readonly swarm_id: string;
  readonly status: Run["status"];
  readonly request: Readonly<Record<string, unknown>>;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly usage: Run["usage"] | null;
  readonly created_at: string;
}

interface MessageRow {
  readonly turn_id: string | null;
  readonly id: string;
  readonly sender_type: "user" | "agent" | "system";
  readonly sender_name: string;
  readonly content: string | null;
  readonly run_id: string | null;
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
  const select = "id,swarm_id,status,request,error,usage,created_at";
  const { body } = await core.rest({ method: "GET", path: `/runs?id=eq.${toRunId(id)}&select=${select}` });
  const [run] = body as readonly RunRow[];
  if (run === undefined) throw notFound(id);
  return run;
}

async function readMessages(core: ExtensionCore, filter: string): Promise<readonly MessageRow[]> {
  const select = "id,turn_id,sender_type,sender_name,content,run_id";
  const { body } = await core.rest({ method: "GET", path: `/messages?${filter}&select=${select}&order=seq` });
  return body as readonly MessageRow[];
}

/** The conversation up to the response, for `previous_response_id`. The swarm can have gone on since. */
export async function readPrevious(core: ExtensionCore, id: unknown): Promise<Entry[]> {
  const run = await readRun(core, id);
  const messages = await readMessages(core, `swarm_id=eq.${run.swarm_id}`);
  const last = messages.findLastIndex(({ run_id: runId }) => runId === run.id);
  return messages.slice(0, last + 1).flatMap(({ sender_type: sender, content }) => {
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
  const messages = await readMessages(core, `run_id=eq.${run.id}&sender_type=eq.agent`);
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
