import { unlessAborted } from "@swarmbase/concurrency";
import { AppError } from "../../../errors/index.ts";
import type { ChangesSubscriber, SubscriptionHandle } from "../../changes.ts";
import type { Subscriptions } from "./subscriptions.ts";
import type { Feed } from "../../feed/feed.ts";
import type { Markers } from "../../feed/markers.ts";

interface SubscribeContext {
  readonly feed: Feed;
  readonly markers: Markers;
  readonly subscriptions: Subscriptions;
}

/** Waits for a live feed, adds the subscriber, and resolves when the feed has passed that moment. Retries when the feed is lost. */
export async function subscribeWhenLive(
  { feed, markers, subscriptions }: SubscribeContext,
  subscriber: ChangesSubscriber,
  signal: AbortSignal,
): Promise<SubscriptionHandle> {
  for (;;) {
    signal.throwIfAborted();
    if (feed.state === "unavailable")
      throw new AppError("SERVICE_UNAVAILABLE", feed.reason ?? "Realtime is not available");
    await unlessAborted(feed.whenDecided(), signal);
    const { lost } = feed;
    if (lost === null) continue;
    const pending = deferLoss(subscriber);
    const adding = subscriptions.add(pending.subscriber);
    const added = await unlessAborted(adding, signal).catch((error: unknown) => {
      adding.then(({ close }) => close()).catch(() => {});
      throw error;
    });
    try {
      await unlessAborted(markers.pass(), AbortSignal.any([signal, lost]));
    } catch (error) {
      added.close();
      signal.throwIfAborted();
      if (lost.aborted) continue;
      throw error;
    }
    if (lost.aborted) continue;
    pending.confirm();
    added.begin();
    return added;
  }
}

/** Until `confirm`, a lost subscription is not reported to the subscriber; `confirm` then throws the reason. */
function deferLoss(subscriber: ChangesSubscriber): { readonly subscriber: ChangesSubscriber; confirm(): void } {
  let lossReason: string | null = null;
  let isConfirmed = false;
  return {
    subscriber: {
      principal: subscriber.principal,
      bindings: subscriber.bindings,
      deliver: (ids, data) => subscriber.deliver(ids, data),
      isBehind: () => subscriber.isBehind?.() === true,
      lose: (reason) => {
        if (isConfirmed) subscriber.lose(reason);
        else lossReason = reason;
      },
    },
    confirm: () => {
      if (lossReason !== null) throw new AppError("UNAUTHORIZED", lossReason);
      isConfirmed = true;
    },
  };
}
