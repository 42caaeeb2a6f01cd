import { type InfiniteData, useQueryClient } from "@tanstack/react-query";
import type { KeyedRow } from "./cached-rows.ts";
import { useLiveTable } from "./live.ts";
import { type Pages, type PagesOptions, usePages, withSignal } from "./rows.ts";

interface LivePagesOptions<Row> extends PagesOptions<Row> {
  /** A realtime filter: "agent_id=eq.…". */
  readonly filter?: string;
  /** In another order a new row can be on any page, so a reload requests all of them. */
  readonly isNewestFirst?: boolean;
}

type Loaded<Row> = InfiniteData<readonly Row[], Row | null>;

/**
 * A keyset-paginated list that begins with the newest row and that realtime keeps current. A reload requests only the first
 * page and reuses the other loaded pages, so that the cost of a change does not depend on the length of the list.
 */
export function useLivePages<Row extends KeyedRow>(options: LivePagesOptions<Row>): Pages<Row> {
  const { table, key, read, isOn = true, filter, isNewestFirst = true } = options;
  const queries = useQueryClient();
  useLiveTable(table, { filter, isOn });
  return usePages<Row>({
    ...options,
    read: async (client, { last, size, signal }) => {
      const known = queries.getQueryData<Loaded<Row>>([table, ...key]);
      const reused = last === null || !isNewestFirst ? undefined : findPage(known, last, size);
      if (reused !== undefined) return { data: reused, error: null };
      const answer = await withSignal(read(client, { last, size, signal }), signal);
      if (last !== null || !isNewestFirst || answer.error !== null) return answer;
      return { data: keepTail(answer.data as readonly Row[], known?.pages[0] ?? [], size), error: null };
    },
  });
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
