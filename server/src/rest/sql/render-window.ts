import type { ReadNode } from "../plan/plan.ts";
import type { Draft } from "./draft.ts";

export function renderWindow(
  draft: Draft,
  { limit, offset }: Pick<ReadNode, "limit" | "offset">,
  isSingle = false,
): string {
  const count = limit === null ? null : `${draft.parameter(limit)}::bigint`;
  const skipped = offset === null ? "" : ` offset ${draft.parameter(offset)}::bigint`;
  if (isSingle) return ` limit ${count === null ? "1" : `least(1,${count})`}${skipped}`;
  return (count === null ? "" : ` limit ${count}`) + skipped;
}
