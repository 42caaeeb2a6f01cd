import type { ReadNode } from "../plan/plan.ts";
import type { Draft } from "./draft.ts";

type Window = Pick<ReadNode, "limit" | "offset" | "isCapped">;

export function hasWindow({ limit, offset, isCapped = false }: Window): boolean {
  return limit !== null || offset !== null || isCapped;
}

export function renderWindow(draft: Draft, window: Window, isSingle = false): string {
  const count = renderLimit(draft, window);
  const skipped = window.offset === null ? "" : ` offset ${draft.parameter(window.offset)}::bigint`;
  if (isSingle) return ` limit ${count === null ? "1" : `least(1,${count})`}${skipped}`;
  return (count === null ? "" : ` limit ${count}`) + skipped;
}

function renderLimit(draft: Draft, { limit, isCapped = false }: Window): string | null {
  if (limit !== null) return `${draft.parameter(limit)}::bigint`;
  const { maxRows } = draft.limits;
  return isCapped && maxRows !== null ? String(maxRows + 1) : null;
}
