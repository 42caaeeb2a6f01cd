import { type QueryKey, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef } from "react";
import type { RowEvent } from "./live.ts";

/** Realtime can report a change shortly before queries see it, and several changes often follow each other. */
const SOON_MS = 400;
/** `useLiveTable` already reloads the lists after an insert or delete. */
const UPDATES = ["UPDATE"] as const;

/** Reloads a query shortly after a change, for data that the changed row does not contain. Pass a memoized key. */
export function useReloadSoon(key: QueryKey, kinds: readonly RowEvent["kind"][] = UPDATES): (change: RowEvent) => void {
  const queries = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return useCallback(
    ({ kind }) => {
      if (!kinds.includes(kind)) return;
      clearTimeout(timer.current);
      timer.current = setTimeout(() => void queries.invalidateQueries({ queryKey: key }), SOON_MS);
    },
    [queries, key, kinds],
  );
}
