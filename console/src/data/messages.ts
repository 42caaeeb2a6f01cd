import { type QueryClient, useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { changePages } from "./change-pages.ts";
import { getClient } from "./client.ts";
import { setLive } from "./connection.ts";
import {
  extendKnown,
  listMessages,
  markKnown,
  type Message,
  mergeMessages,
  type MessagePage,
  type MessagePages,
  NOTHING_KNOWN,
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
        await changePages<MessagePages>(queries, key, (now) =>
          now.pages.at(-1) === last ? { pages: [...now.pages, page], pageParams: [...now.pageParams, oldest] } : now,
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
  const hasOlder = rows.length === size;
  return before === null ? { rows, hasOlder, known: extendKnown(NOTHING_KNOWN, rows) } : { rows, hasOlder };
}

type Receive = (message: Message, isKnown?: boolean) => void;

/** `isKnown`: no message or change before this one is missing. */
function useReceive(queries: QueryClient, key: readonly unknown[]): Receive {
  const waiting = useRef<Message[]>([]);
  const known = useRef<Message[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      timer.current = undefined;
      waiting.current = [];
      known.current = [];
    },
    [key],
  );
  return useCallback(
    (message, isKnown = false) => {
      waiting.current.push(message);
      if (isKnown) known.current.push(message);
      timer.current ??= setTimeout(() => {
        timer.current = undefined;
        const messages = waiting.current;
        const complete = known.current;
        waiting.current = [];
        known.current = [];
        void changePages<MessagePages>(queries, key, (cached) => markKnown(mergeMessages(cached, messages), complete));
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
  readonly receive: Receive;
}

/** Receives new messages, and after each join of the channel reads those that were missed. */
function useLiveMessages({ swarmId, key, queries, receive, isReady }: LiveMessagesOptions): void {
  const [joins, setJoins] = useState(0);
  /** Nothing is missing since the channel was joined or lost. */
  const isCaughtUp = useRef(false);
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
          if (row.content === undefined)
            void readMessage(row.id).then((found) => found && receive(found, isCaughtUp.current));
          else receive(row, isCaughtUp.current);
        },
      )
      .subscribe((status) => {
        isCaughtUp.current = false;
        if (status === "CLOSED") return;
        setLive(status === "SUBSCRIBED");
        if (status === "SUBSCRIBED") setJoins((count) => count + 1);
      });
    return () => {
      isCaughtUp.current = false;
      void client.removeChannel(channel);
    };
  }, [swarmId, receive]);
  useEffect(() => {
    if (joins === 0 || !isReady) return;
    let isCurrent = true;
    void catchUp(queries, key, swarmId).then((isDone) => {
      if (isCurrent) isCaughtUp.current = isDone;
    });
    return () => {
      isCurrent = false;
    };
  }, [joins, isReady, queries, key, swarmId]);
}

/** Reads newer and changed messages; reloads the whole conversation when there are too many. Returns false if it fails. */
async function catchUp(queries: QueryClient, key: readonly unknown[], swarmId: string): Promise<boolean> {
  const { seq, at } = queries.getQueryData<MessagePages>(key)?.pages[0]?.known ?? NOTHING_KNOWN;
  const missed = await unwrap(
    getClient()
      .from("messages")
      .select("*")
      .eq("swarm_id", swarmId)
      .or(`seq.gt.${seq},edited_at.gt."${at}",deleted_at.gt."${at}"`)
      .order("seq")
      .limit(LONG_PAGE_SIZE),
  ).catch(() => null);
  if (missed === null) return false;
  if (missed.length === LONG_PAGE_SIZE) await queries.resetQueries({ queryKey: key });
  else await changePages<MessagePages>(queries, key, (now) => markKnown(mergeMessages(now, missed), missed));
  return true;
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
