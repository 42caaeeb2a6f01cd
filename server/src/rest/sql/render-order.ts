import type { OrderBy } from "../plan/plan.ts";
import type { Draft, RowScope } from "./draft.ts";
import { quoteIdentifier } from "./quote.ts";
import { renderRelated } from "./render-embed.ts";
import { renderCompared } from "./render-expression.ts";

/** Everything after `order by`, those words included. `renderKey` says what a term orders by. */
export function renderOrder(order: readonly OrderBy[], renderKey: (by: OrderBy["by"]) => string): string {
  if (order.length === 0) return "";
  const terms = order.map(({ by, direction, nulls }) => {
    const way = direction === null ? "" : ` ${direction}`;
    return `${renderKey(by)}${way}${nulls === null ? "" : ` nulls ${nulls}`}`;
  });
  return ` order by ${terms.join(",")}`;
}

/** Of rows that are not grouped. */
export function renderOrderKey(draft: Draft, by: OrderBy["by"], scope: RowScope): string {
  switch (by.kind) {
    case "own":
      return renderCompared(by.value, scope);
    case "related":
      return renderRelated(draft, by.embed, by.value, scope);
    case "output":
      return quoteIdentifier(by.name);
  }
}
