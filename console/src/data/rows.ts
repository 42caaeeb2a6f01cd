import { keepPreviousData, type QueryKey, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { type Client, getClient, type TableName } from "./client.ts";
import { type Answered, type Failure, type GoodOf, unwrap } from "./failure.ts";

/** What a hook of `data/` gives to a page. */
export interface Reading<Good> {
  /** Undefined until the first answer is there: show a skeleton. */
  readonly rows: Good | undefined;
  readonly failure: Failure | null;
  /** Asks again. */
  reload(): void;
}

export interface RowsQuestion<Answer extends Answered> {
  /** The table whose changes concern the answer; the first word of the key. */
  readonly table: TableName;
  /** What tells this question from others about the table: an id, filters. */
  readonly key: QueryKey;
  ask(client: Client, signal: AbortSignal): PromiseLike<Answer>;
  readonly isOn?: boolean;
}

/** Reads rows through supabase-js: `ask` returns the query as built, this runs it and says what went wrong. */
export function useRows<Answer extends Answered>(question: RowsQuestion<Answer>): Reading<GoodOf<Answer>> {
  const { table, key, ask, isOn = true } = question;
  const { data, error, refetch } = useQuery<GoodOf<Answer>, Failure>({
    queryKey: [table, ...key],
    queryFn: ({ signal }) => unwrap(ask(getClient(), signal)),
    enabled: isOn,
    placeholderData: keepPreviousData,
  });
  const reload = useCallback(() => void refetch(), [refetch]);
  return { rows: data, failure: error, reload };
}

export interface Pages<Row> extends Reading<readonly Row[]> {
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  /** For `onEndReached` and the pager; does nothing while more is on its way. */
  loadMore(): void;
}

export interface PagesQuestion<Row> {
  readonly table: TableName;
  readonly key: QueryKey;
  /** Rows after `last` in the order of the list, at most `size`; from the beginning when `last` is null. */
  ask(
    client: Client,
    page: { readonly last: Row | null; readonly size: number; readonly signal: AbortSignal },
  ): PromiseLike<Answered>;
  readonly size?: number;
  readonly isOn?: boolean;
}

const PAGE_SIZE = 50;

/** A list that goes on by keyset: each page begins after the last row of the one before, however long the list is. */
export function usePages<Row>({ table, key, ask, size = PAGE_SIZE, isOn = true }: PagesQuestion<Row>): Pages<Row> {
  const query = useInfiniteQuery({
    queryKey: [table, ...key],
    queryFn: async ({ pageParam, signal }) =>
      (await unwrap<Answered>(
        ask(getClient(), { last: pageParam as Row | null, size, signal }),
      )) as unknown as readonly Row[],
    initialPageParam: null,
    getNextPageParam: (page: readonly Row[]) => (page.length < size ? undefined : (page.at(-1) ?? undefined)),
    enabled: isOn,
    placeholderData: keepPreviousData,
  });
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = query;
  const rows = useMemo(() => data?.pages.flat(), [data]);
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
