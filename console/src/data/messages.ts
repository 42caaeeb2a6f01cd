import { type QueryClient, useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { getClient } from "./client.ts";
import { setLive } from "./connection.ts";
import {
  listMessages,
  type Message,
  mergeMessages,
  type MessagePage,
  type MessagePages,
} from "./conversation-pages.ts";
import { type Failure, unwrap } from "./failure.ts";

const PAGE_SIZE = 60;
/** For jumps to old messages and for exports. */
const LONG_PAGE_SIZE = 1_000;
/** Messages within this time are rendered together. */
const BATCH_MS = 30;

export interface Conversation {
  /** The oldest first; undefined until the newest page is loaded. */
  readonly messages: readonly Message[] | undefined;
  readonly failure: Failure | null;
  reload(): void;
  readonly hasOlder: boolean;
  readonly isLoadingOlder: boolean;
  loadOlder(): void;
  /** Loads older pages until the message with this `seq` is loaded. */
  loadUntil(seq: number): Promise<void>;
  /** Adds or replaces a message from a stream or an optimistic update. */
  receive(message: Message): void;
}

/**
 * The messages of a swarm, read backwards by `seq`. They have their own cache key, because a new message is inserted in place
 * instead of reloading all pages.
 */
export function useConversation(swarmId: string): Conversation {
  const queries = useQueryClient();
  const key = useMemo(() => ["conversation", swarmId] as const, [swarmId]);
  const query = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => readPage({ swarmId, before: pageParam, size: PAGE_SIZE, signal }),
    initialPageParam: null as number | null,
    getNextPageParam: (page: MessagePage) => (page.hasOlder ? page.rows.at(-1)?.seq : undefined),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = query;
  const receive = useReceive(queries, key);
  useLiveMessages({ swarmId, key, queries, receive, isReady: data !== undefined });

  const loadOlder = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  const loadUntil = useCallback(
    async (seq: number) => {
      for (;;) {
        const cached = queries.getQueryData<MessagePages>(key);
        const last = cached?.pages.at(-1);
        const oldest = last?.rows.at(-1)?.seq;
        if (cached === undefined || last === undefined || oldest === undefined || oldest <= seq || !last.hasOlder)
          return;
        const page = await readPage({ swarmId, before: oldest, size: LONG_PAGE_SIZE });
        queries.setQueryData<MessagePages>(key, (now) =>
          now?.pages.at(-1) === last ? { pages: [...now.pages, page], pageParams: [...now.pageParams, oldest] } : now,
        );
      }
    },
    [queries, key, swarmId],
  );
  const reload = useCallback(() => void refetch(), [refetch]);
  const messages = useMemo(() => (data === undefined ? undefined : listMessages(data)), [data]);
  return {
    messages,
    failure: error as Failure | null,
    reload,
    hasOlder: hasNextPage,
    isLoadingOlder: isFetchingNextPage,
    loadOlder,
    loadUntil,
    receive,
  };
}

interface PageOptions {
  readonly swarmId: string;
  readonly before: number | null;
  readonly size: number;
  readonly signal?: AbortSignal;
}

async function readPage({ swarmId, before, size, signal }: PageOptions): Promise<MessagePage> {
  let query = getClient()
    .from("messages")
    .select("*")
    .eq("swarm_id", swarmId)
    .order("seq", { ascending: false })
    .limit(size);
  if (before !== null) query = query.lt("seq", before);
  const rows = await unwrap(signal === undefined ? query : query.abortSignal(signal));
  return { rows, hasOlder: rows.length === size };
}

function useReceive(queries: QueryClient, key: readonly unknown[]): (message: Message) => void {
  const waiting = useRef<Message[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      timer.current = undefined;
      waiting.current = [];
    },
    [key],
  );
  return useCallback(
    (message) => {
      waiting.current.push(message);
      timer.current ??= setTimeout(() => {
        timer.current = undefined;
        const messages = waiting.current;
        waiting.current = [];
        queries.setQueryData<MessagePages>(key, (cached) => cached && mergeMessages(cached, messages));
      }, BATCH_MS);
    },
    [queries, key],
  );
}

interface LiveMessagesOptions {
  readonly swarmId: string;
  readonly key: readonly unknown[];
  readonly queries: QueryClient;
  readonly isReady: boolean;
  receive(message: Message): void;
}

/** Receives new messages, and after each join of the channel reads those that were missed. */
function useLiveMessages({ swarmId, key, queries, receive, isReady }: LiveMessagesOptions): void {
  const [joins, setJoins] = useState(0);
  useEffect(() => {
    const client = getClient();
    const channel = client
      .channel(`console:conversation:${swarmId}`)
      .on(
        "postgres_changes",
        { event: "*", schema: "public", table: "messages", filter: `swarm_id=eq.${swarmId}` },
        (payload) => {
          if (payload.eventType === "DELETE") return;
          const row = payload.new as Message;
          // Realtime omits the content of very long messages.
          if (row.content === undefined) void readMessage(row.id).then((found) => found && receive(found));
          else receive(row);
        },
      )
      .subscribe((status) => {
        if (status === "CLOSED") return;
        setLive(status === "SUBSCRIBED");
        if (status === "SUBSCRIBED") setJoins((count) => count + 1);
      });
    return () => void client.removeChannel(channel);
  }, [swarmId, receive]);
  useEffect(() => {
    if (joins === 0 || !isReady) return;
    void catchUp(queries, key, swarmId);
  }, [joins, isReady, queries, key, swarmId]);
}

/** Reads newer and changed messages; reloads the whole conversation when there are too many. */
async function catchUp(queries: QueryClient, key: readonly unknown[], swarmId: string): Promise<void> {
  const cached = queries.getQueryData<MessagePages>(key);
  if (cached === undefined) return;
  const known = cached.pages.flatMap(({ rows }) => rows);
  const newest = known[0]?.seq ?? 0;
  const since = known.reduce((latest, { created_at: made, edited_at: edited, deleted_at: gone }) => {
    const at = gone ?? edited ?? made;
    return at > latest ? at : latest;
  }, "1970-01-01T00:00:00Z");
  const missed = await unwrap(
    getClient()
      .from("messages")
      .select("*")
      .eq("swarm_id", swarmId)
      .or(`seq.gt.${newest},edited_at.gt."${since}",deleted_at.gt."${since}"`)
      .order("seq")
      .limit(LONG_PAGE_SIZE),
  ).catch(() => null);
  if (missed === null || missed.length === 0) return;
  if (missed.length === LONG_PAGE_SIZE) await queries.resetQueries({ queryKey: key });
  else queries.setQueryData<MessagePages>(key, (now) => now && mergeMessages(now, missed));
}

export async function readMessage(id: string): Promise<Message | null> {
  return unwrap(getClient().from("messages").select("*").eq("id", id).maybeSingle());
}

/** Reads the whole conversation for an export. */
export async function readConversation(swarmId: string): Promise<Message[]> {
  const all: Message[] = [];
  for (let last = -1; ; last = all.at(-1)?.seq ?? last) {
    const rows = await unwrap(
      getClient()
        .from("messages")
        .select("*")
        .eq("swarm_id", swarmId)
        .gt("seq", last)
        .order("seq")
        .limit(LONG_PAGE_SIZE),
    );
    all.push(...rows);
    if (rows.length < LONG_PAGE_SIZE) return all;
  }
}
