import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { Row } from "./client.ts";
import type { Message, MessagePages } from "./conversation-pages.ts";
import { type Failure, unwrap } from "./failure.ts";
import { useLiveTable } from "./live.ts";
import { readMessage } from "./messages.ts";
import { type ReadResult, useRows } from "./rows.ts";
import { once, useWrite } from "./write.ts";

interface NewMessage {
  readonly swarmId: string;
  readonly content: string;
  readonly replyToId: string | null;
  readonly clientMessageId: string;
}

/** Stores a message without starting a run. Its `client_message_id` lets the service store it once. */
export function useStoreMessage() {
  return useWrite<NewMessage, Message>({
    tables: [],
    write: (client, { swarmId, content, replyToId, clientMessageId }) =>
      unwrap(
        client
          .from("messages")
          .insert({ swarm_id: swarmId, content, reply_to_id: replyToId, client_message_id: clientMessageId })
          .select()
          .single(),
      ),
  });
}

export function useEditMessage() {
  return useWrite<{ readonly id: string; readonly content: string }, Message>({
    tables: ["message_revisions"],
    write: (client, { id, content }) =>
      unwrap(client.from("messages").update({ content }).eq("id", id).select().single()),
  });
}

export function useDeleteMessage() {
  return useWrite<string, void>({
    tables: [],
    write: async (client, id) => {
      await unwrap(client.from("messages").delete().eq("id", id));
    },
  });
}

/** The message that another one replies to: undefined while it loads, null if it was deleted. Requested only if it is not among the loaded messages. */
export function useQuotedMessage(swarmId: string, id: string): Message | null | undefined {
  const queries = useQueryClient();
  const near = queries
    .getQueryData<MessagePages>(["conversation", swarmId])
    ?.pages.flatMap(({ rows }) => rows)
    .find((message) => message.id === id);
  const { data } = useQuery<Message | null, Failure>({
    queryKey: ["quoted message", id],
    queryFn: () => readMessage(id),
    enabled: near === undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return near ?? data;
}

export function useRevisions(messageId: string): ReadResult<readonly Row<"message_revisions">[]> {
  return useRows({
    table: "message_revisions",
    key: ["of", messageId],
    read: (client) =>
      client
        .from("message_revisions")
        .select("*")
        .eq("message_id", messageId)
        .order("revision", { ascending: false })
        .limit(200),
  });
}

export interface Flag extends Row<"message_flags"> {
  readonly messages: Pick<Message, "content" | "sender_name" | "seq"> | null;
}

/** The open flags of a swarm, for owners and admins. */
export function useOpenFlags(swarmId: string, isOn: boolean): ReadResult<readonly Flag[]> {
  useLiveTable("message_flags", { filter: `swarm_id=eq.${swarmId}`, isOn });
  const { rows, ...read } = useRows({
    table: "message_flags",
    key: ["open", swarmId],
    isOn,
    read: (client) =>
      client
        .from("message_flags")
        .select("*, messages(content, sender_name, seq)")
        .eq("swarm_id", swarmId)
        .eq("status", "open")
        .order("id", { ascending: false })
        .limit(100),
  });
  const flags = rows as unknown as readonly Flag[] | undefined;
  return { ...read, rows: flags?.filter(({ status }) => status === "open") };
}

interface NewFlag {
  readonly messageId: string;
  readonly category: string;
  readonly reason: string;
}

export function useFlagMessage() {
  return useWrite<NewFlag, void>({
    tables: ["message_flags"],
    write: async (client, { messageId, category, reason }, key) => {
      const row = { message_id: messageId, category, reason: reason.trim() === "" ? null : reason };
      await unwrap(once(client.from("message_flags").insert(row), key));
    },
  });
}

export function useSettleFlag() {
  return useWrite<{ readonly id: string; readonly status: Flag["status"] }, void>({
    tables: ["message_flags"],
    optimistic: ({ id, status }) => [
      {
        table: "message_flags",
        change: (rows) => rows.map((row) => (row.id === id ? { ...row, status } : row)),
      },
    ],
    write: async (client, { id, status }) => {
      await unwrap(client.from("message_flags").update({ status }).eq("id", id).select("id").single());
    },
  });
}
