import { useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { changeCachedRows } from "./cached-rows.ts";
import { getClient } from "./client.ts";
import { toFailure, unwrap } from "./failure.ts";
import { cancelRun } from "./respond.ts";

interface KeyedRow {
  readonly id: string;
}

export interface BulkOutcome {
  readonly done: readonly string[];
  readonly reason: string | null;
}

/** The address of a request has room for this many ids. */
const CHUNK = 100;

type Listed = "agents" | "eval_datasets" | "guardrails" | "schedules" | "swarms" | "tools" | "triggers" | "webhooks";

interface Bulk {
  remove(rows: readonly KeyedRow[]): Promise<BulkOutcome>;
  update(rows: readonly KeyedRow[], change: Readonly<Record<string, string | boolean>>): Promise<BulkOutcome>;
}

/** Changes many rows of a table with one request for a hundred of them. Rows that the user may not change are left as they are. */
export function useBulk(table: Listed): Bulk {
  const queries = useQueryClient();
  return useMemo(() => {
    // The tables differ in their columns, of which only the id is read here; each list writes columns that its rows have.
    const rowsOf = () => getClient().from(table as "agents");
    return {
      remove: async (rows) => {
        const outcome = await runInChunks(rows, (ids) => unwrap(rowsOf().delete().in("id", ids).select("id")));
        const gone = new Set(outcome.done);
        changeCachedRows(queries, table, (cached) => cached.filter(({ id }) => !gone.has(id)));
        void queries.invalidateQueries({ queryKey: [table] });
        return outcome;
      },
      update: async (rows, change) => {
        const outcome = await runInChunks(rows, (ids) =>
          unwrap(
            rowsOf()
              .update(change as object)
              .in("id", ids)
              .select("id"),
          ),
        );
        const changed = new Set(outcome.done);
        changeCachedRows(queries, table, (cached) =>
          cached.map((row) => (changed.has(row.id) ? { ...row, ...change } : row)),
        );
        return outcome;
      },
    };
  }, [queries, table]);
}

/** Ends with the first request that is rejected. */
async function runInChunks(
  rows: readonly KeyedRow[],
  write: (ids: string[]) => Promise<readonly KeyedRow[]>,
): Promise<BulkOutcome> {
  const done: string[] = [];
  for (let at = 0; at < rows.length; at += CHUNK) {
    try {
      const written = await write(rows.slice(at, at + CHUNK).map(({ id }) => id));
      done.push(...written.map(({ id }) => id));
    } catch (error) {
      return { done, reason: (await toFailure(error)).message };
    }
  }
  return { done, reason: null };
}

/** Stops runs one after the other: the service has no call for several. Ends with the first that is rejected. */
export async function stopRuns(rows: readonly KeyedRow[]): Promise<BulkOutcome> {
  const done: string[] = [];
  for (const { id } of rows) {
    try {
      await cancelRun(id);
      done.push(id);
    } catch (error) {
      return { done, reason: (await toFailure(error)).message };
    }
  }
  return { done, reason: null };
}
