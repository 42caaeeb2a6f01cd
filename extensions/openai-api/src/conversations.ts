import { isUuid } from "@swarmbase/sdk";
import {
  type AppError,
  type ExtensionCore,
  type ExtensionRequest,
  type ExtensionResponse,
  isRecord,
  readRows,
  type TableRow,
} from "swarmbase/extension";
import { type Ask, readBody } from "./ask.ts";
import { type Body, isSet, readEntries } from "./conversation.ts";
import { fault, invalid, unsupported } from "./errors.ts";
import { findItem, listItems, renderItem, renderList, saidIn } from "./items.ts";
import { toSeconds } from "./render.ts";

const PREFIX = "conv_";
/** OpenAI's bounds. */
const MAX_ITEMS = 20;
const MAX_PAIRS = 16;
const MAX_KEY_CHARACTERS = 64;
const MAX_VALUE_CHARACTERS = 512;
/** Of `swarms.name`. */
const MAX_NAME_CHARACTERS = 100;

export interface Conversation extends TableRow<"swarms", "id" | "created_at" | "settings"> {
  /** Not null: a private conversation with this agent. */
  readonly private_agent_id: string | null;
}

/** The setting of a swarm that makes it a conversation of this API. */
const METADATA = "conversation_metadata";
const SELECT = "select=id,created_at,settings,private_agent_id";

/** Of another user, of a swarm that is no conversation, or of nothing: the error is the same. */
function notFound(id: unknown): AppError {
  return fault("conversation_not_found", "conversation", `${String(id).slice(0, 100)} does not exist`, 404);
}

/** A swarm that other people can be members of is the model `swarm:<id>`, and no conversation. */
export async function findConversation(
  { core, caller }: Pick<ExtensionRequest, "core" | "caller">,
  id: unknown,
): Promise<Conversation> {
  const swarmId = typeof id === "string" && id.startsWith(PREFIX) ? id.slice(PREFIX.length) : "";
  if (!isUuid(swarmId)) throw notFound(id);
  const query = `id=eq.${swarmId}&owner_id=eq.${caller.userId}&${SELECT}`;
  const [swarm] = await readRows<Conversation>(core, "/swarms", query);
  if (swarm === undefined || !isConversation(swarm)) throw notFound(id);
  return swarm;
}

export function isConversation({ settings, private_agent_id: agentId }: Omit<Conversation, "id" | "created_at">) {
  return agentId !== null || isRecord(settings[METADATA]);
}

export function renderConversationId(swarmId: string): string {
  return PREFIX + swarmId;
}

function render({ id, created_at, settings }: Conversation): object {
  const metadata = settings[METADATA] ?? {};
  return { id: renderConversationId(id), object: "conversation", created_at: toSeconds(created_at), metadata };
}

function readMetadata(metadata: unknown): Body {
  if (!isSet(metadata)) return {};
  if (!isRecord(metadata)) throw invalid("metadata", "must be an object");
  const pairs = Object.entries(metadata);
  if (pairs.length > MAX_PAIRS) throw invalid("metadata", `must have at most ${MAX_PAIRS} pairs`);
  for (const [key, value] of pairs)
    if (key.length > MAX_KEY_CHARACTERS || typeof value !== "string" || value.length > MAX_VALUE_CHARACTERS)
      throw invalid(
        "metadata",
        `must have keys of at most ${MAX_KEY_CHARACTERS} and texts of at most ${MAX_VALUE_CHARACTERS} characters`,
      );
  return metadata;
}

/** The texts of items that a user can add. An agent writes its messages itself. */
function readTexts(items: unknown): readonly string[] {
  const entries = readEntries(items, "items");
  if (entries.length > MAX_ITEMS) throw invalid("items", `must be at most ${MAX_ITEMS}`);
  return entries.map((entry, index) => {
    if (entry.role === "user" && entry.images === undefined && entry.content.trim() !== "") return entry.content;
    throw unsupported(`items[${index}]`, "only messages of the user can be added, with text");
  });
}

const REPRESENTATION = { headers: { prefer: "return=representation" } };

async function addTexts(core: ExtensionCore, swarmId: string, texts: readonly string[]): Promise<object> {
  const body = texts.map((content) => ({ swarm_id: swarmId, content }));
  const added = await core.rest({ method: "POST", path: "/messages", body, ...REPRESENTATION });
  return renderList(added.body as Parameters<typeof renderList>[0]);
}

/** The request to an agent as one that it answers in a conversation, of which it is or becomes a part. */
export async function placeInConversation(
  { core }: Pick<ExtensionRequest, "core">,
  ask: Ask,
  { id, private_agent_id: privateId }: Conversation,
): Promise<Ask> {
  const { target, settings, messages, said } = ask;
  const [setting] = Object.keys(settings);
  if (setting !== undefined) throw unsupported(setting, "with conversation: the agent answers with its own settings");
  if (said.length < messages.length || said.some(({ role }) => role !== "user"))
    throw unsupported("input", "with conversation: send the new messages of the user alone");
  if (target.kind === "swarm") throw unsupported("conversation", "a swarm is a conversation itself");
  if (privateId !== null && privateId !== target.id)
    throw invalid("conversation", "is the conversation with another agent");
  if (privateId === null) {
    if (target.isForeign)
      throw unsupported("conversation", "an agent of somebody else begins it: retrieve its first response");
    const body = { swarm_id: id, agent_id: target.id };
    const headers = { prefer: "resolution=ignore-duplicates" };
    await core.rest({ method: "POST", path: "/swarm_agents?on_conflict=swarm_id,agent_id", body, headers });
  }
  return { ...ask, swarmId: id, isStored: true };
}

/** POST /v1/conversations */
export async function createConversation({ core, body }: ExtensionRequest): Promise<ExtensionResponse> {
  const { items, metadata } = body === undefined ? {} : readBody(body);
  const texts = isSet(items) ? readTexts(items) : [];
  const [first = ""] = texts;
  // The agent reads all of it, as if the client sent it again with each request.
  const settings = { history_limit: 500, [METADATA]: readMetadata(metadata) };
  const name = Array.from(first.trim().replaceAll(/\s+/g, " ")).slice(0, MAX_NAME_CHARACTERS).join("");
  const row = { name: name === "" ? "Conversation" : name, settings };
  const made = await core.rest({ method: "POST", path: `/swarms?${SELECT}`, body: row, ...REPRESENTATION });
  const [swarm] = made.body as [Conversation];
  try {
    if (texts.length > 0) await addTexts(core, swarm.id, texts);
  } catch (error) {
    await core.rest({ method: "DELETE", path: `/swarms?id=eq.${swarm.id}` });
    throw error;
  }
  return { body: render(swarm) };
}

/** GET /v1/conversations/:id */
export async function getConversation(request: ExtensionRequest): Promise<ExtensionResponse> {
  return { body: render(await findConversation(request, request.params["id"])) };
}

/** POST /v1/conversations/:id */
export async function updateConversation(request: ExtensionRequest): Promise<ExtensionResponse> {
  const { core, params } = request;
  const metadata = readMetadata(readBody(request.body)["metadata"]);
  const { id, settings, ...swarm } = await findConversation(request, params["id"]);
  const changed = { ...settings, [METADATA]: metadata };
  await core.rest({ method: "PATCH", path: `/swarms?id=eq.${id}`, body: { settings: changed } });
  return { body: render({ ...swarm, id, settings: changed }) };
}

/** DELETE /v1/conversations/:id */
export async function deleteConversation(request: ExtensionRequest): Promise<ExtensionResponse> {
  const { id } = await findConversation(request, request.params["id"]);
  await request.core.rest({ method: "DELETE", path: `/swarms?id=eq.${id}` });
  return { body: { id: renderConversationId(id), object: "conversation.deleted", deleted: true } };
}

/** GET /v1/conversations/:id/items */
export async function listConversationItems(request: ExtensionRequest): Promise<ExtensionResponse> {
  const { id } = await findConversation(request, request.params["id"]);
  return { body: await listItems(request.core, saidIn(id), request.query) };
}

/** POST /v1/conversations/:id/items */
export async function addConversationItems(request: ExtensionRequest): Promise<ExtensionResponse> {
  const texts = readTexts(readBody(request.body)["items"]);
  if (texts.length === 0) throw invalid("items", "must not be empty");
  const { id } = await findConversation(request, request.params["id"]);
  return { body: await addTexts(request.core, id, texts) };
}

async function findConversationItem(request: ExtensionRequest) {
  const { core, params } = request;
  const conversation = await findConversation(request, params["id"]);
  const item = await findItem(core, saidIn(conversation.id), params["item"]);
  if (item === undefined)
    throw fault("item_not_found", "item_id", `${String(params["item"]).slice(0, 100)} does not exist`, 404);
  return { conversation, item };
}

/** GET /v1/conversations/:id/items/:item */
export async function getConversationItem(request: ExtensionRequest): Promise<ExtensionResponse> {
  return { body: renderItem((await findConversationItem(request)).item) };
}

/** DELETE /v1/conversations/:id/items/:item */
export async function deleteConversationItem(request: ExtensionRequest): Promise<ExtensionResponse> {
  const { conversation, item } = await findConversationItem(request);
  await request.core.rest({ method: "DELETE", path: `/messages?id=eq.${item.id}` });
  return { body: render(conversation) };
}
