import type { DeliveryStatus, EventType } from "@swarmbase/sdk";
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { getClient, type Row } from "./client.ts";
import { Failure, unwrap } from "./failure.ts";
import { type DeliveryPages, mergeNews } from "./delivery-news.ts";
import { LISTED, type ListedDelivery } from "./listed-delivery.ts";
import { useEvery } from "./every.ts";
import { afterRow } from "./keyset.ts";
import { type Pages, type Reading, usePages, useRows } from "./rows.ts";
import { useWrite, type Write } from "./write.ts";

export interface DeliveryFilter {
  readonly webhookId: string;
  readonly status: DeliveryStatus | null;
  readonly type: EventType | null;
}

/** Realtime does not tell of deliveries, so that a list that is looked at asks for news. A person has 100 requests a minute. */
const NEWS_MS = 4_000;
const PAGE = 100;
/** How many waiting rows of a list are asked about at once. */
const MOST_WAITING = 50;

export interface LiveDeliveries extends Pages<ListedDelivery> {
  /** Asks for news now: after something was sent. */
  refresh(): void;
}

export function useDeliveries({ webhookId, status, type }: DeliveryFilter): LiveDeliveries {
  const queries = useQueryClient();
  const filter = useMemo<DeliveryFilter>(() => ({ webhookId, status, type }), [webhookId, status, type]);
  const pages = usePages<ListedDelivery>({
    table: "webhook_deliveries",
    key: ["list", filter],
    size: PAGE,
    ask: (_client, { last, size, signal }) => {
      const query = selectListed(filter);
      return (last === null ? query : query.or(afterRow(last))).limit(size).abortSignal(signal);
    },
  });
  const refresh = useCallback(() => {
    const queryKey = ["webhook_deliveries", "list", filter];
    const shown = queries.getQueryData<DeliveryPages>(queryKey);
    if (shown === undefined) return;
    void askForNews(filter, shown).then(
      (news) => queries.setQueryData<DeliveryPages>(queryKey, (now) => now && mergeNews(now, news, PAGE)),
      // The next time will do; a lost connection is told by the page as a whole.
      () => {},
    );
  }, [queries, filter]);
  useEvery(NEWS_MS, refresh);
  return { ...pages, refresh };
}

function selectListed({ webhookId, status, type }: DeliveryFilter) {
  let query = getClient().from("webhook_deliveries").select(LISTED).eq("webhook_id", webhookId);
  if (status !== null) query = query.eq("status", status);
  if (type !== null) query = query.eq("event_type", type);
  return query.order("created_at", { ascending: false }).order("id", { ascending: false });
}

/** The newest rows, and those of the rows shown that were still waiting. */
async function askForNews(filter: DeliveryFilter, shown: DeliveryPages): Promise<readonly ListedDelivery[]> {
  const waiting = shown.pages.flat().filter(({ status }) => status === "pending" || status === "retrying");
  const ids = waiting.slice(0, MOST_WAITING).map(({ id }) => id);
  const [newest, changed] = await Promise.all([
    unwrap(selectListed(filter).limit(PAGE)),
    ids.length === 0 ? [] : unwrap(selectListed({ ...filter, status: null }).in("id", ids)),
  ]);
  return [...changed, ...newest];
}

export interface Delivery extends ListedDelivery {
  readonly payload: Row<"webhook_deliveries">["payload"];
  readonly response_body: string | null;
  /** The very text that is signed and sent; printing the payload again would change it. */
  readonly body: string;
}

export function useDelivery(id: string): Reading<Delivery> {
  const reading = useRows({
    table: "webhook_deliveries",
    key: ["one", id],
    ask: (client, signal) =>
      client
        .from("webhook_deliveries")
        .select(`${LISTED}, payload, response_body, body:payload::text`)
        .eq("id", id)
        .abortSignal(signal)
        .single(),
  }) as Reading<Delivery>;
  const isWaiting = reading.rows?.status === "pending" || reading.rows?.status === "retrying";
  useEvery(NEWS_MS, reading.reload, isWaiting);
  return reading;
}

/** All deliveries of one event: to other webhooks, and repeated ones. */
export function useDeliveriesOfEvent(eventId: string | undefined): Reading<readonly ListedDelivery[]> {
  return useRows({
    table: "webhook_deliveries",
    key: ["event", eventId],
    isOn: eventId !== undefined,
    ask: (client, signal) =>
      client
        .from("webhook_deliveries")
        .select(LISTED)
        .eq("event_id", eventId ?? "")
        .order("created_at", { ascending: false })
        .limit(20)
        .abortSignal(signal),
  });
}

export interface RetryOutcome {
  readonly isDelivered: boolean;
  /** In words, when it failed again. */
  readonly reason: string;
}

/** One more attempt of a failed delivery, now. That it failed again is an outcome like any other. */
export function useRetryDelivery(): Write<string, RetryOutcome> {
  return useWrite({
    tables: ["webhook_delivery_attempts"],
    write: async (client, id) => {
      const body = { action: "retry", delivery_id: id };
      return unwrap(client.functions.invoke("webhook-dispatcher", { body })).then(
        () => ({ isDelivered: true, reason: "" }),
        (error: unknown) => {
          if (error instanceof Failure && error.code === "DELIVERY_FAILED")
            return { isDelivered: false, reason: error.message };
          throw error;
        },
      );
    },
  });
}

export interface ReplayedDelivery {
  readonly delivery_id: string;
  readonly webhook_id: string;
}

/** The event once more, as a new delivery. */
export function useReplayEvent(): Write<
  { readonly eventId: string; readonly webhookId: string },
  readonly ReplayedDelivery[]
> {
  return useWrite({
    tables: [],
    write: async (client, { eventId, webhookId }) => {
      const body = { action: "replay", event_id: eventId, webhook_id: webhookId };
      const answer = (await unwrap(
        client.functions.invoke<{ deliveries: ReplayedDelivery[] }>("webhook-dispatcher", { body }),
      )) as { deliveries: ReplayedDelivery[] };
      return answer.deliveries;
    },
  });
}
