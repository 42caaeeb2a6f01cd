import type { ReadNode } from "../plan/plan.ts";
import type { Draft } from "./draft.ts";

export function renderWindow(
  draft: Draft,
  { limit, offset }: Pick<ReadNode, "limit" | "offset">,
  isSingle = false,
): string {
  const most = limit === null ? null : `${draft.parameter(limit)}::bigint`;
  const skipped = offset === null ? "" : ` offset ${draft.parameter(offset)}::bigint`;
  if (isSingle) return ` limit ${most === null ? "1" : `least(1,${most})`}${skipped}`;
  return (most === null ? "" : ` limit ${most}`) + skipped;
}
