import {
  type InfiniteData,
  keepPreviousData,
  type QueryKey,
  useInfiniteQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { useMemo } from "react";
import type { KeyedRow } from "./cached-rows.ts";
import { getClient } from "./client.ts";
import { type ClientResponse, type Failure, unwrap } from "./failure.ts";
import { useLiveTable, waitForJoins } from "./live.ts";
import { recordRead } from "./reads.ts";
import { type Pages, type PagesOptions, useLoadedPages, withSignal } from "./rows.ts";

export interface LivePagesOptions<Row> extends PagesOptions<Row> {
  /** A realtime filter: "agent_id=eq.…". */
  readonly filter?: string;
  /** In another order a new row can be on any page, so a reload requests all of them. */
  readonly isNewestFirst?: boolean;
}

type Loaded<Row> = InfiniteData<readonly Row[], Row | null>;

const PAGE_SIZE = 50;

/**
 * A keyset-paginated list that begins with the newest row and that realtime keeps current. A reload requests only the first
 * page and reuses the other loaded pages, so that the cost of a change does not depend on the length of the list.
 */
export function useLivePages<Row extends KeyedRow>(options: LivePagesOptions<Row>): Pages<Row> {
  const { table, key, read, size = PAGE_SIZE, isOn = true, filter, isNewestFirst = true } = options;
  const queries = useQueryClient();
  const queryKey = [table, ...key];
  useLiveTable(table, { filter, isOn });
  const query = useInfiniteQuery<readonly Row[], Failure, Loaded<Row>, QueryKey, Row | null>({
    queryKey,
    queryFn: async ({ pageParam, signal }): Promise<readonly Row[]> => {
      const last = pageParam as Row | null;
      await waitForJoins([table]);
      if (last === null) recordRead(queryKey);
      const known = queries.getQueryData<Loaded<Row>>(queryKey);
      const reused = last === null || !isNewestFirst ? undefined : findPage(known, last, size);
      if (reused !== undefined) return reused;
      const answer = await unwrap<ClientResponse>(withSignal(read(getClient(), { last, size }), signal));
      const rows = answer as unknown as readonly Row[];
      return last === null && isNewestFirst ? keepTail(rows, known?.pages[0] ?? [], size) : rows;
    },
    initialPageParam: null,
    getNextPageParam: (page) => (page.length < size ? undefined : page.at(-1)),
    enabled: isOn,
    placeholderData: keepPreviousData,
  });
  const { data } = query;
  return useLoadedPages(
    query,
    useMemo(() => data?.pages.flat(), [data]),
  );
}

/** Finds a loaded page. A short page is requested again, because it may have lost rows and a short page ends the list. */
function findPage<Row extends KeyedRow>(
  known: Loaded<Row> | undefined,
  last: Row,
  size: number,
): readonly Row[] | undefined {
  const index = known?.pageParams.findIndex((param) => param?.id === last.id) ?? -1;
  const page = known?.pages[index];
  return page === undefined || page.length < size ? undefined : page;
}

/** The new first page, followed by the rows that it displaced, so that the second page still follows without a gap. */
function keepTail<Row extends KeyedRow>(fresh: readonly Row[], old: readonly Row[], size: number): readonly Row[] {
  if (fresh.length < size) return fresh;
  const index = old.findIndex(({ id }) => id === fresh.at(-1)?.id);
  return index === -1 ? fresh : [...fresh, ...old.slice(index + 1)];
}
