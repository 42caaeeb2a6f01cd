import {
  type InfiniteData,
  keepPreviousData,
  type QueryKey,
  useInfiniteQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import type { KeyedRow } from "./cached-rows.ts";
import { getClient } from "./client.ts";
import { type Answered, type Failure, unwrap } from "./failure.ts";
import { useLiveTable } from "./live.ts";
import type { Pages, PagesQuestion } from "./rows.ts";

export interface LivePagesQuestion<Row> extends PagesQuestion<Row> {
  /** As realtime takes it: "agent_id=eq.…". */
  readonly filter?: string;
}

type Loaded<Row> = InfiniteData<readonly Row[], Row | null>;

const PAGE_SIZE = 50;

/**
 * A list by keyset that begins with the newest and whose rows realtime keeps true. When it is asked for again, only its beginning is:
 * pages that are loaded are reused, so that a long list costs no more than a short one each time something happens.
 */
export function useLivePages<Row extends KeyedRow>(question: LivePagesQuestion<Row>): Pages<Row> {
  const { table, key, ask, size = PAGE_SIZE, isOn = true, filter } = question;
  const queries = useQueryClient();
  const queryKey = [table, ...key];
  useLiveTable(table, { filter, isOn });
  const query = useInfiniteQuery<readonly Row[], Failure, Loaded<Row>, QueryKey, Row | null>({
    queryKey,
    queryFn: async ({ pageParam, signal }): Promise<readonly Row[]> => {
      const last = pageParam as Row | null;
      const known = queries.getQueryData<Loaded<Row>>(queryKey);
      const reused = last === null ? undefined : findPage(known, last, size);
      if (reused !== undefined) return reused;
      const answer = await unwrap<Answered>(ask(getClient(), { last, size, signal }));
      const rows = answer as unknown as readonly Row[];
      return last === null ? keepTail(rows, known?.pages[0] ?? [], size) : rows;
    },
    initialPageParam: null,
    getNextPageParam: (page) => (page.length < size ? undefined : page.at(-1)),
    enabled: isOn,
    placeholderData: keepPreviousData,
  });
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = query;
  const rows = useMemo(() => data?.pages.flat(), [data]);
  const loadMore = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  return {
    rows,
    failure: error,
    reload: useCallback(() => void refetch(), [refetch]),
    hasMore: hasNextPage,
    isLoadingMore: isFetchingNextPage,
    loadMore,
  };
}

/** A page that is loaded already. One that is short is asked for again: it may have lost rows, and a short page ends the list. */
function findPage<Row extends KeyedRow>(
  known: Loaded<Row> | undefined,
  last: Row,
  size: number,
): readonly Row[] | undefined {
  const at = known?.pageParams.findIndex((param) => param?.id === last.id) ?? -1;
  const page = known?.pages[at];
  return page === undefined || page.length < size ? undefined : page;
}

/** The new beginning, and behind it what it has pushed out of the first page: so the second one still follows. */
function keepTail<Row extends KeyedRow>(fresh: readonly Row[], old: readonly Row[], size: number): readonly Row[] {
  if (fresh.length < size) return fresh;
  const at = old.findIndex(({ id }) => id === fresh.at(-1)?.id);
  return at === -1 ? fresh : [...fresh, ...old.slice(at + 1)];
}
