import { type QueryKey, useMutation, useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { changeCachedRows, type RowChange } from "./cached-rows.ts";
import { type Client, getClient, type TableName } from "./client.ts";
import { type Failure, toFailure } from "./failure.ts";
import { useClearOnReconnect } from "./use-clear-on-reconnect.ts";
import { callWithProof } from "./proof.ts";

export interface WriteOptions<Input, Output> {
  /** Calls supabase-js; use `unwrap`. */
  write(client: Client, input: Input): Promise<Output>;
  /** The tables whose queries are reloaded afterwards. */
  readonly tables: readonly TableName[];
  /** Optimistic changes of cached rows, which are rolled back on failure. */
  optimistic?(input: Input): readonly { readonly table: TableName; readonly change: RowChange }[];
}

export interface Write<Input, Output> {
  /** Returns the result, or null on failure; `failure` and `errors` have the reason. Never throws. */
  run(input: Input): Promise<Output | null>;
  readonly isBusy: boolean;
  readonly failure: Failure | null;
  /** Field → error message. Names of nested fields have dots: "settings.temperature". */
  readonly errors: Readonly<Record<string, string>>;
  /** Clears the failure. */
  reset(): void;
}

const NO_ERRORS: Readonly<Record<string, string>> = {};

/** A mutation with optimistic updates. */
export function useWrite<Input, Output>(options: WriteOptions<Input, Output>): Write<Input, Output> {
  const { write, tables, optimistic } = options;
  const queries = useQueryClient();
  const mutation = useMutation<Output, Failure, Input, [QueryKey, unknown][]>({
    mutationFn: async (input) => {
      try {
        return await callWithProof(() => write(getClient(), input));
      } catch (error) {
        throw await toFailure(error);
      }
    },
    onMutate: async (input) => {
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
  });
  const { mutateAsync } = mutation;
  useClearOnReconnect(mutation.error, mutation.reset);
  // Stable between renders, for commands and effects.
  const run = useCallback((input: Input) => mutateAsync(input).catch(() => null), [mutateAsync]);
  return {
    run,
    isBusy: mutation.isPending,
    failure: mutation.error,
    errors: mutation.error?.fields ?? NO_ERRORS,
    reset: mutation.reset,
  };
}
