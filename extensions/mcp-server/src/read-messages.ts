import { readRows, type TableRow } from "swarmbase/extension";
import type { Caller } from "./caller.ts";
import { row } from "./tools/tool.ts";

export const MESSAGE = row("id seq# sender_type sender_name content data* reply_to_id? created_at");

/** The columns of `MESSAGE`. */
type MessageRow = TableRow<
  "messages",
  "id" | "seq" | "sender_type" | "sender_name" | "content" | "data" | "reply_to_id" | "created_at"
>;

interface MessagesPage {
  /** The name of the swarm. */
  readonly name: string;
  /** Oldest first. */
  readonly messages: MessageRow[];
  /** Continues with older messages; null when there are none. */
  readonly next: string | null;
}

/** The messages of a swarm before a number, or the last ones. Null when the caller can read no such swarm. */
export async function readMessages(
  caller: Caller,
  { swarmId, limit, before }: { swarmId: string; limit: number; before?: string | undefined },
): Promise<MessagesPage | null> {
  const query = new URLSearchParams({
    id: `eq.${swarmId}`,
    select: `name,messages(${MESSAGE.select})`,
    "messages.order": "seq.desc",
    "messages.limit": String(limit + 1),
    "messages.deleted_at": "is.null",
    ...(before !== undefined && { "messages.seq": `lt.${before}` }),
  });
  const [swarm] = await readRows<{ readonly name: string; readonly messages: MessageRow[] }>(
    caller.core,
    "/swarms",
    query,
  );
  if (swarm === undefined) return null;
  const messages = swarm.messages.slice(0, limit).toReversed();
  const hasMore = swarm.messages.length > limit;
  return { name: swarm.name, messages, next: hasMore ? String(messages[0]?.seq) : null };
}
