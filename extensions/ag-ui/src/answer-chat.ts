import { isFinalRunStatus, isUuid, RUN_STATUSES } from "@swarmbase/sdk";
import { SwarmChatTransport, type SwarmUIMessage } from "@swarmbase/sdk/ai";
import {
  AppError,
  type ExtensionRequest,
  type ExtensionResponse,
  isRecord,
  openEventStream,
  readRows,
  toExtensionError,
} from "swarmbase/extension";
import { isForeign, type Target } from "./target.ts";

const HEADERS = { "x-vercel-ai-ui-message-stream": "v1" };

/** The member of a message's metadata that names the chat which sent it. */
const CHAT_MEMBER = "ai_sdk_chat_id";
/** Of the latest messages of a chat, of which some may never have been stored. */
const MAX_SENT_IDS = 20;

/** Answers a request of `DefaultChatTransport`. Further members of the body are passed on to `agent-respond`. */
export async function answerChat(request: ExtensionRequest, target: Target): Promise<ExtensionResponse> {
  const { id: chatId = "", messages, trigger = "submit-message", messageId, ...more } = readChat(request.body);
  // An answer at the end, with what its run waited for, continues the run.
  const isQuestion = messages.at(-1)?.role !== "assistant" || trigger !== "submit-message";
  const place = isQuestion ? await placeQuestion(request, target, messages) : { target };
  const body = { ...nameChat(more, chatId), ...place.body };
  const chunks = await openTransport(request, place.target)
    .sendMessages({ chatId, messages, trigger, messageId, abortSignal: request.signal, body })
    .catch((error: unknown) => {
      // The transport reports messages that it cannot send this way.
      if (error instanceof TypeError) throw new AppError("VALIDATION_ERROR", error.message);
      throw error;
    });
  return renderStream(chunks);
}

interface Place {
  readonly target: Target;
  readonly body?: { readonly conversation: "new" } | { readonly agent_ids: readonly string[] };
}

/** An agent of somebody else answers each chat in a private conversation of its own, the one that has messages of the chat. */
async function placeQuestion(
  request: ExtensionRequest,
  target: Target,
  messages: readonly SwarmUIMessage[],
): Promise<Place> {
  if (!("agent_id" in target) || !(await isForeign(request.core, target.agent_id))) return { target };
  if (messages.some(({ role }) => role === "system"))
    throw new AppError("PERMISSION_DENIED", "Only the owner of an agent gives it instructions");
  const swarmId = await findConversation(request, target.agent_id, messages);
  if (swarmId !== null) return { target: { swarm_id: swarmId }, body: { agent_ids: [target.agent_id] } };
  if (messages.some(({ role }) => role === "assistant"))
    throw new AppError("PERMISSION_DENIED", "The messages are of no stored conversation with the agent");
  return { target, body: { conversation: "new" } };
}

/** By the ids of the chat's messages, because its texts may differ: a chat keeps what was rejected or stopped. */
async function findConversation(
  { core, caller }: ExtensionRequest,
  agentId: string,
  messages: readonly SwarmUIMessage[],
): Promise<string | null> {
  const ids = messages.flatMap(({ role, id }) => (role === "user" ? [JSON.stringify(id)] : [])).slice(-MAX_SENT_IDS);
  const query = new URLSearchParams({
    select: "swarm_id,swarms!inner(swarm_agents!inner())",
    // Only of a private conversation: other people read other swarms.
    "swarms.transcripts": "not.is.null",
    "swarms.swarm_agents.agent_id": `eq.${agentId}`,
    sender_user_id: `eq.${caller.userId}`,
    client_message_id: `in.(${ids.join(",")})`,
    order: "created_at.desc,id.desc",
    limit: "1",
  });
  const [found] = await readRows<{ readonly swarm_id: string }>(core, "/messages", query);
  return found?.swarm_id ?? null;
}

/** Answers `reconnectToStream` of `DefaultChatTransport`: the caller's run of the chat from its beginning, or 204 when none is under way. */
export async function reconnectChat(request: ExtensionRequest, target: Target): Promise<ExtensionResponse> {
  const { chat: chatId = "" } = request.params;
  const chunks = await openTransport(request, target).reconnectToStream({ chatId, abortSignal: request.signal });
  return chunks === null ? { status: 204 } : renderStream(chunks);
}

function openTransport(request: ExtensionRequest, target: Target): SwarmChatTransport {
  return new SwarmChatTransport({
    client: { ...request.core, from: refuseTables },
    ...("agent_id" in target ? { agentId: target.agent_id } : { swarmId: target.swarm_id }),
    // A request that ends may be a page that is loaded again.
    cancelOnStop: false,
    findRun: (chatId) => findRun(request, target, chatId),
  });
}

/** The conversation is that of the target, so the id of the chat is kept with the message that it sends. */
function nameChat(body: Readonly<Record<string, unknown>>, chatId: string): Record<string, unknown> {
  const { metadata = {} } = body;
  if (chatId === "" || !isRecord(metadata)) return { ...body };
  return { ...body, metadata: { ...metadata, [CHAT_MEMBER]: chatId } };
}

/** The newest run of the chat that has not ended. Only those of the caller: any member can write the metadata of its own messages. */
async function findRun({ core, caller }: ExtensionRequest, target: Target, chatId: string): Promise<string | null> {
  const id = "agent_id" in target ? target.agent_id : target.swarm_id;
  if (!isUuid(id)) throw new AppError("VALIDATION_ERROR", "The path names no agent and no swarm");
  const query = new URLSearchParams({
    select: "id,messages!runs_message_id_fkey!inner(metadata)",
    user_id: `eq.${caller.userId}`,
    status: `in.(${RUN_STATUSES.filter((status) => !isFinalRunStatus(status)).join(",")})`,
    ...("agent_id" in target
      ? // A run that was started for one agent names it.
        { "request->agent_ids": `cs.${JSON.stringify([id.toLowerCase()])}` }
      : { swarm_id: `eq.${id}` }),
    [`messages.metadata->>${CHAT_MEMBER}`]: `eq.${chatId}`,
    order: "created_at.desc,id.desc",
    limit: "1",
  });
  const [run] = await readRows<{ readonly id: string }>(core, "/runs", query);
  return run?.id ?? null;
}

interface Chat {
  readonly id?: string;
  readonly messages: SwarmUIMessage[];
  readonly trigger?: "submit-message" | "regenerate-message";
  readonly messageId?: string;
}

function readChat(body: unknown): Chat & Record<string, unknown> {
  const { messages, trigger } = (body ?? {}) as Partial<Chat>;
  const details: Record<string, string> = {};
  if (!Array.isArray(messages) || !messages.every(isMessage)) details["messages"] = "must be messages with parts";
  if (trigger !== undefined && trigger !== "submit-message" && trigger !== "regenerate-message")
    details["trigger"] = "must be submit-message or regenerate-message";
  if (Object.keys(details).length > 0)
    throw new AppError("VALIDATION_ERROR", "The request body is not valid", { details });
  return body as Chat & Record<string, unknown>;
}

function isMessage(message: unknown): boolean {
  const { id, role, parts } = (message ?? {}) as Partial<SwarmUIMessage>;
  return typeof id === "string" && typeof role === "string" && Array.isArray(parts) && parts.every(isPart);
}

function isPart(part: unknown): boolean {
  const { type, text } = (part ?? {}) as { type?: unknown; text?: unknown };
  return typeof type === "string" && (type !== "text" || typeof text === "string");
}

function refuseTables(): never {
  throw new Error("the run of a chat is found without the tables of a client");
}

function renderStream(chunks: ReadableStream<unknown>): Promise<ExtensionResponse> {
  return openEventStream(renderChunks(chunks), { headers: HEADERS, renderFailure });
}

async function* renderChunks(chunks: ReadableStream<unknown>): AsyncGenerator<string, void, undefined> {
  for await (const chunk of chunks) yield renderChunk(chunk);
  yield "data: [DONE]\n\n";
}

function renderChunk(chunk: unknown): string {
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

function renderFailure(error: unknown): string {
  const known = toExtensionError(error);
  if (known === null) throw error;
  return renderChunk({ type: "error", errorText: known.message });
}
