import type { Recipients } from "./matching/match-change.ts";
import type { RoutedChange } from "./matching/routed-change.ts";
import type { Subscription } from "./subscription.ts";
import type { RoleView } from "./tables/table-metadata.ts";

/** Hands a change to subscribers that may see it. */
export function deliverChange(
  { renderer, xid }: RoutedChange,
  { columns }: RoleView,
  showsOld: boolean,
  recipients: Recipients,
): void {
  for (const [subscription, bindings] of recipients) {
    if (!subscription.isLive || subscription.isClosed) continue;
    subscription.lastXid = xid;
    const [first] = bindings;
    if (first !== undefined && bindings.length === 1) {
      send(subscription, [first.id], renderer.render({ columns, select: first.select, showsOld }));
      continue;
    }
    const sorted = bindings.toSorted((left, right) => left.id - right.id);
    const byText = Map.groupBy(sorted, ({ select }) => renderer.render({ columns, select, showsOld }));
    for (const [text, group] of byText)
      send(
        subscription,
        group.map(({ id }) => id),
        text,
      );
  }
}

/** An error of one subscriber does not affect the others. */
function send(subscription: Subscription, ids: readonly number[], text: string): void {
  try {
    subscription.subscriber.deliver(ids, text);
  } catch {
    subscription.lose("The change could not be handed over");
  }
}

export function loseAll(recipients: Recipients, reason: string): void {
  for (const subscription of recipients.keys()) subscription.lose(reason);
}
