import { useMemo } from "react";
import { useLiveTable } from "./live.ts";
import { type Reading, useRows } from "./rows.ts";

/** A swarm in which something was said, and what was said last. */
export interface RecentConversation {
  readonly swarmId: string;
  readonly name: string;
  readonly sender: string | null;
  readonly content: string;
  readonly at: string;
}

/** Among so many messages the latest swarms are looked for. */
const MESSAGES = 60;
const MOST = 5;

/** Where something was said last, the latest first. */
export function useRecentConversations(): Reading<readonly RecentConversation[]> {
  useLiveTable("messages");
  const { rows, failure, reload } = useRows({
    table: "messages",
    key: ["recent conversations"],
    ask: (client, signal) =>
      client
        .from("messages")
        .select("id, content, sender_name, created_at, swarms!inner(id, name)")
        .is("deleted_at", null)
        .order("created_at", { ascending: false })
        .limit(MESSAGES)
        .abortSignal(signal),
  });
  const conversations = useMemo(() => {
    if (rows === undefined) return undefined;
    const found = new Map<string, RecentConversation>();
    for (const { content, sender_name: sender, created_at: at, swarms } of rows) {
      if (!found.has(swarms.id))
        found.set(swarms.id, { swarmId: swarms.id, name: swarms.name, sender, content: content ?? "", at });
    }
    return [...found.values()].slice(0, MOST);
  }, [rows]);
  return { rows: conversations, failure, reload };
}
