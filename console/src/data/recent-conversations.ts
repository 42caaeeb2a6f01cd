import { useMemo } from "react";
import { useLiveTable } from "./live.ts";
import { type ReadResult, useRows } from "./rows.ts";

/** A swarm with its newest message. */
interface RecentConversation {
  readonly swarmId: string;
  readonly name: string;
  readonly sender: string | null;
  readonly content: string;
  readonly at: string;
}

/** The number of messages in which the latest swarms are searched. */
const MESSAGES = 60;
const MAX_CONVERSATIONS = 5;

/** The swarms with the newest messages. */
export function useRecentConversations(): ReadResult<readonly RecentConversation[]> {
  useLiveTable("messages");
  const { rows, failure, reload } = useRows({
    table: "messages",
    key: ["recent conversations"],
    read: (client) =>
      client
        .from("messages")
        .select("id, content, sender_name, created_at, swarms!inner(id, name)")
        .is("deleted_at", null)
        .order("created_at", { ascending: false })
        .limit(MESSAGES),
  });
  const conversations = useMemo(() => {
    if (rows === undefined) return undefined;
    const found = new Map<string, RecentConversation>();
    for (const { content, sender_name: sender, created_at: at, swarms } of rows) {
      if (!found.has(swarms.id))
        found.set(swarms.id, { swarmId: swarms.id, name: swarms.name, sender, content: content ?? "", at });
    }
    return [...found.values()].slice(0, MAX_CONVERSATIONS);
  }, [rows]);
  return { rows: conversations, failure, reload };
}
