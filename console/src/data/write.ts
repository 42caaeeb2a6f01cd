import { type QueryKey, useMutation, useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { changeCachedRows, type RowChange } from "./cached-rows.ts";
import { type Client, getClient, type TableName } from "./client.ts";
import { type Failure, toFailure } from "./failure.ts";

export interface WriteOptions<Input, Output> {
  /** Does it: build the call with supabase-js and `unwrap` it. */
  write(client: Client, input: Input): Promise<Output>;
  /** Tables whose cached rows are asked for again when it is done. */
  readonly tables: readonly TableName[];
  /** What it will have changed, shown at once and taken back when it fails. */
  foresee?(input: Input): readonly { readonly table: TableName; readonly change: RowChange }[];
}

export interface Write<Input, Output> {
  /** The outcome, or null when it failed: then `failure` and `errors` say why. Never throws. */
  run(input: Input): Promise<Output | null>;
  readonly isBusy: boolean;
  readonly failure: Failure | null;
  /** Field → message, for the fields of a form. Nested ones are dotted: "settings.temperature". */
  readonly errors: Readonly<Record<string, string>>;
  /** Forgets the failure: when a form is opened again. */
  reset(): void;
}

const NO_ERRORS: Readonly<Record<string, string>> = {};

/** Everything that changes something. */
export function useWrite<Input, Output>(options: WriteOptions<Input, Output>): Write<Input, Output> {
  const { write, tables, foresee } = options;
  const queries = useQueryClient();
  const mutation = useMutation<Output, Failure, Input, [QueryKey, unknown][]>({
    mutationFn: async (input) => {
      try {
        return await write(getClient(), input);
      } catch (error) {
        throw await toFailure(error);
      }
    },
    onMutate: async (input) => {
      const changes = foresee?.(input) ?? [];
      // An answer that is on its way would undo what is foreseen.
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
  // The same between renders, so that commands and effects may hold it.
  const run = useCallback((input: Input) => mutateAsync(input).catch(() => null), [mutateAsync]);
  return {
    run,
    isBusy: mutation.isPending,
    failure: mutation.error,
    errors: mutation.error?.fields ?? NO_ERRORS,
    reset: mutation.reset,
  };
}
