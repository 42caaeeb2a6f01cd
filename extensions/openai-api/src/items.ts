import { isUuid } from "@swarmbase/sdk";
import { type ExtensionCore, type ExtensionRequest, readRows, type TableRow } from "swarmbase/extension";
import { invalid } from "./errors.ts";
import { type Item, renderMessage } from "./response-object.ts";

type MessageRow = TableRow<"messages", "id" | "seq" | "turn_id" | "sender_type" | "sender_name" | "content">;

const PREFIX = "msg_";
const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;
/** A deleted message leaves a row without content, and messages of the system are not part of what was said. */
const SAID = "deleted_at=is.null&sender_type=neq.system&select=id,seq,turn_id,sender_type,sender_name,content";

/** The query for the messages of a swarm that agents read. */
export function saidIn(swarmId: string): string {
  return `swarm_id=eq.${swarmId}&${SAID}`;
}

/** An answer has the id of its turn, as in the response, whose stream has it before the message is stored. */
export function renderItem({ id, turn_id: turnId, sender_type: sender, sender_name: name, content }: MessageRow): Item {
  if (sender === "agent") return renderMessage(turnId ?? id, name, content ?? "");
  return {
    id: PREFIX + id,
    type: "message",
    role: "user",
    status: "completed",
    content: [{ type: "input_text", text: content ?? "" }],
  };
}

/** One of the messages; undefined when the query has none with this id. */
export async function findItem(core: ExtensionCore, query: string, id: unknown): Promise<MessageRow | undefined> {
  const found = typeof id === "string" && id.startsWith(PREFIX) ? id.slice(PREFIX.length) : "";
  if (!isUuid(found)) return undefined;
  const [row] = await readRows<MessageRow>(core, "/messages", `${query}&or=(id.eq.${found},turn_id.eq.${found})`);
  return row;
}

/** One page of the messages, by the parameters `limit`, `order` and `after`. */
export async function listItems(core: ExtensionCore, query: string, sent: ExtensionRequest["query"]): Promise<object> {
  const { limit = String(DEFAULT_LIMIT), order = "desc", after } = sent;
  const count = /^\d{1,3}$/.test(limit) ? Number(limit) : 0;
  if (count < 1 || count > MAX_LIMIT) throw invalid("limit", `must be between 1 and ${MAX_LIMIT}`);
  if (order !== "asc" && order !== "desc") throw invalid("order", "must be asc or desc");
  const last = after === undefined ? null : await findItem(core, query, after);
  if (last === undefined) throw invalid("after", "must be the id of an item of this list");
  const later = last === null ? "" : `&seq=${order === "asc" ? "gt" : "lt"}.${last.seq}`;
  const rows = await readRows<MessageRow>(core, "/messages", `${query}${later}&order=seq.${order}&limit=${count + 1}`);
  return renderList(rows.slice(0, count), rows.length > count);
}

export function renderList(rows: readonly MessageRow[], hasMore = false): object {
  const data = rows.map(renderItem);
  return {
    object: "list",
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: hasMore,
  };
}
