import { type QueryKey, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef } from "react";
import type { RowEvent } from "./live.ts";

/** A change is told a moment before every reader can see it, and changes seldom come alone. */
const SOON_MS = 400;
/** After the others the lists of the table are asked for again anyway. */
const UPDATES = ["UPDATE"] as const;

/** For what a changed row does not tell by itself: asks again, a little later. Give it a key that is the same between renders. */
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
