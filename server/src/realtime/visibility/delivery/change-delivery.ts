import type { Recipients } from "../matching/recipients.ts";
import type { RoutedChange } from "../matching/routed-change.ts";
import type { Subscription } from "../subscriptions/subscription.ts";
import type { RoleView } from "../tables/table-metadata.ts";

/** Ends a subscription with a reason; its client has to subscribe again. */
export type LoseSubscription = (subscription: Subscription, reason: string) => void;

/** Hands changes to subscribers that may see them. */
export class ChangeDelivery {
  readonly #lose: LoseSubscription;

  constructor(lose: LoseSubscription) {
    this.#lose = lose;
  }

  deliver({ renderer }: RoutedChange, { columns }: RoleView, showsOld: boolean, recipients: Recipients): void {
    for (const [subscription, bindings] of recipients) {
      if (!subscription.isLive || subscription.isClosed) continue;
      const [first] = bindings;
      if (first !== undefined && bindings.length === 1) {
        this.#send(subscription, [first.id], renderer.render({ columns, select: first.select, showsOld }));
        continue;
      }
      const idsByText = new Map<string, number[]>();
      for (const { id, select } of bindings.toSorted((left, right) => left.id - right.id)) {
        const text = renderer.render({ columns, select, showsOld });
        const ids = idsByText.get(text);
        if (ids === undefined) idsByText.set(text, [id]);
        else ids.push(id);
      }
      for (const [text, ids] of idsByText) this.#send(subscription, ids, text);
    }
  }

  loseAll(recipients: Recipients, reason: string): void {
    for (const subscription of recipients.keys()) if (!subscription.isClosed) this.#lose(subscription, reason);
  }

  /** An error of one subscriber does not affect the others. */
  #send(subscription: Subscription, ids: readonly number[], text: string): void {
    try {
      subscription.subscriber.deliver(ids, text);
    } catch {
      this.#lose(subscription, "The change could not be handed over");
    }
  }
}
