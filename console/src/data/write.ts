import { type QueryKey, useMutation, useQueryClient } from "@tanstack/react-query";
import { useCallback, useRef } from "react";
import { changeCachedRows, type RowChange } from "./cached-rows.ts";
import { type Client, getClient, type TableName } from "./client.ts";
import { type Failure, toFailure } from "./failure.ts";
import { useClearOnReconnect } from "./use-clear-on-reconnect.ts";
import { callWithProof } from "./proof.ts";

interface WriteOptions<Input, Output> {
  /** Calls supabase-js; use `unwrap`. An insert sends the key: see `once`. */
  write(client: Client, input: Input, key: string): Promise<Output>;
  /** The tables whose queries are reloaded afterwards. */
  readonly tables: readonly TableName[];
  /** The key of a query that is no table, and that has been reloaded when `run` returns. */
  readonly reloads?: QueryKey;
  /** Optimistic changes of cached rows, which are rolled back on failure. */
  optimistic?(input: Input): readonly { readonly table: TableName; readonly change: RowChange }[];
}

export interface Write<Input, Output> {
  /**
   * Returns the result, or null on failure; `failure` and `errors` have the reason. Never throws. The same input again, while it is being
   * written, is the second click of a double click: nothing is sent for it, and its promise stays pending, so that
   * nothing else follows from it either.
   */
  run(input: Input): Promise<Output | null>;
  readonly isBusy: boolean;
  /** The latest run has succeeded. A form that is left then stays disabled until the next page is shown. */
  readonly isDone: boolean;
  readonly failure: Failure | null;
  /** Field → error message. Names of nested fields have dots: "settings.temperature". */
  readonly errors: Readonly<Record<string, string>>;
  /** Clears the failure. */
  reset(): void;
}

const NO_ERRORS: Readonly<Record<string, string>> = {};
const SERVER_ERROR = 500;

interface Attempt {
  readonly input: string;
  readonly key: string;
  isRunning: boolean;
}

/** Sends the key of a write with an insert, so that the service stores the row once even if the request is repeated. */
export function once<Query extends { setHeader(name: string, value: string): Query }>(
  query: Query,
  key: string,
): Query {
  return query.setHeader("Idempotency-Key", key);
}

/** A mutation with optimistic updates. */
export function useWrite<Input, Output>(options: WriteOptions<Input, Output>): Write<Input, Output> {
  const { write, tables, reloads, optimistic } = options;
  const queries = useQueryClient();
  // A ref, because state changes only with the next render, and a second click can come before it.
  const latest = useRef<Attempt | null>(null);
  const mutation = useMutation<Output, Failure, { readonly input: Input; readonly key: string }, [QueryKey, unknown][]>(
    {
      mutationFn: async ({ input, key }) => {
        try {
          const output = await callWithProof(() => write(getClient(), input, key));
          if (reloads !== undefined) await queries.invalidateQueries({ queryKey: reloads });
          return output;
        } catch (error) {
          throw await toFailure(error);
        }
      },
      onMutate: async ({ input }) => {
        const changes = optimistic?.(input) ?? [];
        // The response of a running query would overwrite the optimistic change.
        await Promise.all(changes.map(({ table }) => queries.cancelQueries({ queryKey: [table] })));
        return changes.flatMap(({ table, change }) => changeCachedRows(queries, table, change));
      },
      onError: (_failure, _input, before) => {
        for (const [key, cached] of before ?? []) queries.setQueryData(key, cached);
      },
      onSettled: () => {
        for (const table of tables) void queries.invalidateQueries({ queryKey: [table] });
      },
    },
  );
  const { mutateAsync } = mutation;
  useClearOnReconnect(mutation.error, mutation.reset);
  // Stable between renders, for commands and effects.
  const run = useCallback(
    async (input: Input): Promise<Output | null> => {
      const text = JSON.stringify(input) ?? "";
      const last = latest.current?.input === text ? latest.current : null;
      if (last?.isRunning === true) return new Promise(() => {});
      const attempt: Attempt = { input: text, key: last?.key ?? crypto.randomUUID(), isRunning: true };
      latest.current = attempt;
      const forget = (): void => {
        if (latest.current === attempt) latest.current = null;
      };
      try {
        const output = await mutateAsync({ input, key: attempt.key });
        forget();
        return output;
      } catch (error) {
        attempt.isRunning = false;
        // Without an answer the rows may be stored. The next try sends the same key, so that they are not stored twice.
        const { status } = error as Failure;
        if (status > 0 && status < SERVER_ERROR) forget();
        return null;
      }
    },
    [mutateAsync],
  );
  return {
    run,
    isBusy: mutation.isPending,
    isDone: mutation.isSuccess,
    failure: mutation.error,
    errors: mutation.error?.fields ?? NO_ERRORS,
    reset: mutation.reset,
  };
}

/** A call that changes no table and has no result. `reloads` as in `WriteOptions`. */
export function useCall<Input>(
  call: (client: Client, input: Input) => Promise<unknown>,
  reloads?: QueryKey,
): Write<Input, boolean> {
  const write = async (client: Client, input: Input): Promise<boolean> => {
    await call(client, input);
    return true;
  };
  return useWrite({ tables: [], ...(reloads !== undefined && { reloads }), write });
}
