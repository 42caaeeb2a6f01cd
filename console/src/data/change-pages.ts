import type { QueryClient, QueryKey } from "@tanstack/react-query";

/**
 * Changes the cached pages of a list when none of them is being read: a read ends with the pages that it began with and the new
 * one, so that a change in the meantime would be lost.
 */
export async function changePages<Pages>(
  queries: QueryClient,
  queryKey: QueryKey,
  change: (cached: Pages) => Pages,
): Promise<void> {
  const find = () => queries.getQueryCache().find({ queryKey, exact: true });
  for (let query = find(); query !== undefined && query.state.fetchStatus !== "idle"; query = find())
    await query.promise?.catch(() => {});
  queries.setQueryData<Pages>(queryKey, (cached) => cached && change(cached));
}
