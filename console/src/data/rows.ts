import {
  keepPreviousData,
  type QueryKey,
  type UseInfiniteQueryResult,
  type UseQueryResult,
  useInfiniteQuery,
  useQuery,
} from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { type Client, getClient, type TableName } from "./client.ts";
import { type ClientResponse, type Failure, type DataOf, unwrap } from "./failure.ts";
import { waitForJoins } from "./live.ts";
import { buildMeta, recordRead } from "./reads.ts";

/** The result of a reading hook. */
export interface ReadResult<Data> {
  /** Undefined until the first response: show a skeleton. */
  readonly rows: Data | undefined;
  readonly failure: Failure | null;
  reload(): void;
}

/** What a reading hook returns of its query. */
export function useReading<Data>(query: UseQueryResult<Data, Failure>): ReadResult<Data> {
  const { data, error, refetch } = query;
  const reload = useCallback(() => void refetch(), [refetch]);
  return { rows: data, failure: error, reload };
}

interface RowsOptions<Result extends ClientResponse> {
  /** The table whose changes affect the result; the first part of the query key. */
  readonly table: TableName;
  /** The rest of the query key: an id, filters. */
  readonly key: QueryKey;
  /** A read of several requests passes the signal on; that of a query gets it afterwards. */
  read(client: Client, signal: AbortSignal): PromiseLike<Result>;
  readonly isOn?: boolean;
  /** Further tables whose channel the hook opens, for a view or for embedded rows. */
  readonly follows?: readonly TableName[];
  /** How long cached rows need no read when the hook is used again; by default that of all queries. */
  readonly staleMs?: number | undefined;
  /** Nothing that the user waits for: it can wait longer for its channel. */
  readonly isBackground?: boolean;
  /** The hook reloads the rows after inserts itself, because most of them do not matter to it. */
  readonly reloadsItself?: boolean;
}

const NO_TABLES: readonly TableName[] = [];

/** Ends the request of a query when nobody waits for its rows any more. */
export function withSignal<Call extends object>(call: Call, signal: AbortSignal): Call {
  const query = call as { abortSignal?(signal: AbortSignal): unknown };
  query.abortSignal?.(signal);
  return call;
}

/** Runs and caches the supabase-js query that `read` builds. */
export function useRows<Result extends ClientResponse>(options: RowsOptions<Result>): ReadResult<DataOf<Result>> {
  const { table, key, read, isOn = true, follows = NO_TABLES, isBackground, reloadsItself = false, staleMs } = options;
  const queryKey = [table, ...key];
  const query = useQuery<DataOf<Result>, Failure>({
    queryKey,
    queryFn: async ({ signal }) => {
      await waitForJoins([table, ...follows], isBackground);
      recordRead(queryKey);
      return unwrap(withSignal(read(getClient(), signal), signal));
    },
    meta: buildMeta(follows, reloadsItself),
    ...(staleMs !== undefined && { staleTime: staleMs }),
    enabled: isOn,
    placeholderData: keepPreviousData,
  });
  return useReading(query);
}

/** The row with an id. */
export function useRow<Data>(table: TableName, id: string, { columns = "*", isOn = true } = {}): ReadResult<Data> {
  return useRows({
    table,
    key: ["one", id],
    isOn,
    // One type stands for all tables: the client has no types for a choice of them.
    read: (client) =>
      client
        .from(table as "agents")
        .select<string, Data>(columns)
        .eq("id", id)
        .single(),
  });
}

export interface Pages<Row> extends ReadResult<readonly Row[]> {
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  /** Loads the next page, unless it is loading already. */
  loadMore(): void;
  /** Reads all rows apart from the pages, up to a limit. Absent means that all of them are loaded. */
  readAll?(): Promise<AllRows<Row>>;
}

export interface AllRows<Row> {
  readonly rows: readonly Row[];
  readonly isCut: boolean;
}

interface PageWanted<Row> {
  readonly last: Row | null;
  readonly size: number;
  /** A read of several requests passes it on; that of a query gets it afterwards. */
  readonly signal: AbortSignal;
}

export interface PagesOptions<Row> {
  readonly table: TableName;
  readonly key: QueryKey;
  /** Queries at most `size` rows after `last`, or the first ones when `last` is null. */
  read(client: Client, page: PageWanted<Row>): PromiseLike<ClientResponse>;
  readonly size?: number;
  readonly isOn?: boolean;
}

const PAGE_SIZE = 50;
/** Of an export, so that it takes few of the requests that a user has. */
const EXPORT_PAGE = 500;
const MAX_EXPORTED = 10_000;

/** Reads page after page until there is no more, or too much. `next` says where a page continues; null means that it is the last. */
export async function readAllPages<Row, Next>(
  readPage: (from: Next | null) => PromiseLike<{ readonly rows: readonly Row[]; readonly next: Next | null }>,
): Promise<AllRows<Row>> {
  const rows: Row[] = [];
  let from: Next | null = null;
  do {
    const page: Awaited<ReturnType<typeof readPage>> = await readPage(from);
    rows.push(...page.rows);
    from = page.next;
  } while (from !== null && rows.length < MAX_EXPORTED);
  return { rows: rows.slice(0, MAX_EXPORTED), isCut: from !== null };
}

/** A keyset-paginated list: each page begins after the last row of the previous one. */
export function usePages<Row>({ table, key, read, size = PAGE_SIZE, isOn = true }: PagesOptions<Row>): Pages<Row> {
  const queryKey = [table, ...key];
  const query = useInfiniteQuery({
    queryKey,
    queryFn: async ({ pageParam, signal }) => {
      await waitForJoins([table]);
      if (pageParam === null) recordRead(queryKey);
      const call = read(getClient(), { last: pageParam as Row | null, size, signal });
      const answer = await unwrap<ClientResponse>(withSignal(call, signal));
      const rows = answer as unknown as readonly Row[];
      return rows;
    },
    initialPageParam: null,
    getNextPageParam: (page: readonly Row[]) => (page.length < size ? undefined : (page.at(-1) ?? undefined)),
    enabled: isOn,
    placeholderData: keepPreviousData,
  });
  const { data } = query;
  const pages = useLoadedPages(
    query,
    useMemo(() => data?.pages.flat(), [data]),
  );
  const readAll = () =>
    readAllPages<Row, Row>(async (last) => {
      const wanted = { last, size: EXPORT_PAGE, signal: new AbortController().signal };
      const rows = (await unwrap<ClientResponse>(read(getClient(), wanted))) as unknown as readonly Row[];
      return { rows, next: rows.length < EXPORT_PAGE ? null : (rows.at(-1) ?? null) };
    });
  return { ...pages, readAll };
}

/** The rows of all pages that are loaded, with what loads the next one. */
export function useLoadedPages<Row>(
  query: Pick<UseInfiniteQueryResult, "error" | "hasNextPage" | "isFetchingNextPage" | "fetchNextPage" | "refetch">,
  rows: readonly Row[] | undefined,
): Pages<Row> {
  const { error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = query;
  const loadMore = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  const reload = useCallback(() => void refetch(), [refetch]);
  return {
    rows,
    failure: error as Failure | null,
    reload,
    hasMore: hasNextPage,
    isLoadingMore: isFetchingNextPage,
    loadMore,
  };
}
