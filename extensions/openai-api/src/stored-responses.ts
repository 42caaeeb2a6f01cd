import { createRandomId, invokeFunction, isUuid, type RunStatus } from "@swarmbase/sdk";
import {
  AppError,
  type ExtensionCore,
  type ExtensionRequest,
  type ExtensionResponse,
  readRows,
  type TableRow,
} from "swarmbase/extension";
import { toRespondBody } from "./answer.ts";
import type { Ask } from "./ask.ts";
import type { Entry } from "./conversation.ts";
import { type Conversation, isConversation, renderConversationId } from "./conversations.ts";
import { listItems, saidIn } from "./items.ts";
import {
  renderMessage,
  renderResponse,
  type ResponseHead,
  type ResponseState,
  type ResponseStatus,
} from "./response-object.ts";

const PREFIX = "resp_";
/** The service rejects a longer conversation, so that nothing of it is lost unnoticed. */
const MAX_MESSAGES = 500;

type RunRow = TableRow<"runs", "id" | "swarm_id" | "message_id" | "status" | "request" | "error" | "usage"> & {
  readonly messages: readonly TableRow<"messages", "id" | "turn_id" | "sender_name" | "content">[];
  readonly swarms: Pick<Conversation, "settings" | "private_agent_id">;
};

const QUERY = [
  "select=id,swarm_id,message_id,status,request,error,usage,messages!messages_run_id_fkey(id,turn_id,sender_name,content),swarms(settings,private_agent_id)",
  "messages.sender_type=eq.agent",
  "messages.order=seq",
].join("&");

/** A response that is not stored is in a hidden swarm, which its caller does not see. */
async function readRun(core: ExtensionCore, id: unknown): Promise<RunRow> {
  const runId = typeof id === "string" && id.startsWith(PREFIX) ? id.slice(PREFIX.length) : "";
  const [run] = isUuid(runId) ? await readRows<RunRow>(core, "/runs", `id=eq.${runId}&${QUERY}`) : [];
  if (run !== undefined) return run;
  throw new AppError("RUN_NOT_FOUND", `The response ${String(id).slice(0, 100)} does not exist or is not stored`);
}

/** The conversation up to the response, for `previous_response_id`. The swarm can have gone on since. */
export async function readPrevious(core: ExtensionCore, id: unknown): Promise<readonly Entry[]> {
  const run = await readRun(core, id);
  // Without an answer, the conversation ends with the message that it was to answer.
  const own = `or=(run_id.eq.${run.id},id.eq.${run.message_id})`;
  const newest = `swarm_id=eq.${run.swarm_id}&order=seq.desc`;
  type Message = TableRow<"messages", "seq" | "sender_type" | "content">;
  const [last] = await readRows<Message>(core, "/messages", `${newest}&${own}&select=seq&limit=1`);
  const query = `${newest}&seq=lte.${last?.seq ?? 0}&select=sender_type,content&limit=${MAX_MESSAGES}`;
  const messages = await readRows<Message>(core, "/messages", query);
  return messages.toReversed().flatMap(({ sender_type: sender, content }) => {
    if (content === null || sender === "system") return [];
    return [{ role: sender === "agent" ? "assistant" : "user", content } as const];
  });
}

interface BackgroundOptions {
  readonly idempotencyKey: string | undefined;
  readonly head: ResponseHead;
}

export async function startInBackground(
  core: ExtensionCore,
  ask: Ask,
  { idempotencyKey, head }: BackgroundOptions,
): Promise<object> {
  const headers = { "idempotency-key": idempotencyKey ?? createRandomId() };
  const body = { ...toRespondBody(ask), background: true };
  const { run_id: runId } = await invokeFunction(core, "agent-respond", body, { headers });
  const state = toState(await readRun(core, `${PREFIX}${runId}`));
  return { ...renderResponse(runId, head, state), background: true };
}

/** GET /v1/responses/:id */
export async function getResponse({ core, params }: ExtensionRequest): Promise<ExtensionResponse> {
  const run = await readRun(core, params["id"]);
  return { body: renderResponse(run.id, headOf(run), toState(run)) };
}

/** GET /v1/responses/:id/input_items */
export async function listInputItems({ core, params, query }: ExtensionRequest): Promise<ExtensionResponse> {
  const { swarm_id: swarmId, message_id: messageId } = await readRun(core, params["id"]);
  const said = saidIn(swarmId);
  const [asked] = await readRows<{ readonly seq: number }>(core, "/messages", `${said}&id=eq.${messageId}`);
  return { body: await listItems(core, `${said}&and=(seq.lte.${asked?.seq ?? 0})`, query) };
}

/** POST /v1/responses/:id/cancel */
export async function cancelResponse(request: ExtensionRequest): Promise<ExtensionResponse> {
  const { core, params } = request;
  const { id } = await readRun(core, params["id"]);
  await invokeFunction(core, "agent-respond", { action: "cancel", run_id: id });
  return getResponse(request);
}

const STATUSES: Readonly<Record<RunStatus, ResponseStatus>> = {
  queued: "queued",
  running: "in_progress",
  requires_action: "in_progress",
  waiting: "in_progress",
  completed: "completed",
  partial: "completed",
  failed: "failed",
  cancelled: "cancelled",
};

function toState({ status, messages, usage, error }: RunRow): ResponseState {
  const output = messages.map(({ id, turn_id: turnId, sender_name: name, content }) =>
    renderMessage(turnId ?? id, name, content ?? ""),
  );
  return { status: STATUSES[status], output, usage, error };
}

function headOf({ swarm_id: swarmId, request, swarms }: RunRow): ResponseHead {
  const [agentId] = (request["agent_ids"] ?? []) as readonly string[];
  const model = agentId === undefined ? `swarm:${swarmId}` : `agent:${agentId}`;
  const conversationId = isConversation(swarms) ? renderConversationId(swarmId) : null;
  return { model, previousId: null, conversationId, isStored: true, metadata: {} };
}
