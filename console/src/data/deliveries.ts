import type { DeliveryStatus } from "@swarmbase/sdk";
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import type { AnyEventType } from "./event-types.ts";
import { changePages } from "./change-pages.ts";
import { getClient, type Row } from "./client.ts";
import { Failure, unwrap } from "./failure.ts";
import { type DeliveryPages, mergeUpdates } from "./delivery-updates.ts";
import { LISTED, type ListedDelivery } from "./listed-delivery.ts";
import { inRange, newestAfter, type TimeRange } from "./keyset.ts";
import { type Pages, type ReadResult, usePages, useRows } from "./rows.ts";
import { type OnSignal, REQUEST_INTERVAL_MS, useSignals } from "./signals.ts";
import { useWrite, type Write } from "./write.ts";

export interface DeliveryFilter extends TimeRange {
  readonly webhookId: string;
  readonly status: DeliveryStatus | null;
  readonly type: AnyEventType | null;
  /** The UUID of a delivery or of an event. */
  readonly id: string | null;
}

interface DeliveriesSignal {
  /** Null means any delivery. */
  readonly delivery_ids: readonly string[] | null;
}

const PAGE = 100;
/** The maximum number of unfinished rows of a list that one signal refreshes. */
const MAX_WAITING = 50;

export interface LiveDeliveries extends Pages<ListedDelivery> {
  /** Reads changes at once, after something was sent. */
  refresh(): void;
}

export function useDeliveries({ webhookId, status, type, since, until, id }: DeliveryFilter): LiveDeliveries {
  const queries = useQueryClient();
  const filter = useMemo<DeliveryFilter>(
    () => ({ webhookId, status, type, since, until, id }),
    [webhookId, status, type, since, until, id],
  );
  const pages = usePages<ListedDelivery>({
    table: "webhook_deliveries",
    key: ["list", filter],
    size: PAGE,
    read: (_client, { last, size }) => selectListed(filter, last).limit(size),
  });
  const refresh = useCallback(() => {
    const queryKey = ["webhook_deliveries", "list", filter];
    const shown = queries.getQueryData<DeliveryPages>(queryKey);
    if (shown === undefined) return;
    void readUpdates(filter, shown).then(
      (updates) => changePages<DeliveryPages>(queries, queryKey, (now) => mergeUpdates(now, updates, PAGE)),
      // The next signal tries again; the shell reports a lost connection.
      () => {},
    );
  }, [queries, filter]);
  useSignals<DeliveriesSignal>(`webhook:${webhookId}`, refresh, REQUEST_INTERVAL_MS);
  return { ...pages, refresh };
}

function selectListed(
  { webhookId, status, type, since, until, id }: DeliveryFilter,
  last: ListedDelivery | null = null,
) {
  let query = getClient().from("webhook_deliveries").select<string, ListedDelivery>(LISTED).eq("webhook_id", webhookId);
  if (id !== null) query = query.or(`id.eq.${id},event_id.eq.${id}`);
  if (status !== null) query = query.eq("status", status);
  if (type !== null) query = query.eq("event_type", type);
  return newestAfter(inRange(query, { since, until }), last);
}

/** Reads the newest rows, and the listed rows that were not finished. */
async function readUpdates(filter: DeliveryFilter, shown: DeliveryPages): Promise<readonly ListedDelivery[]> {
  const waiting = shown.pages.flat().filter(({ status }) => status === "pending" || status === "retrying");
  const ids = waiting.slice(0, MAX_WAITING).map(({ id }) => id);
  const [newest, changed] = await Promise.all([
    unwrap(selectListed(filter).limit(PAGE)),
    ids.length === 0 ? [] : unwrap(selectListed({ ...filter, status: null }).in("id", ids)),
  ]);
  return [...changed, ...newest];
}

export interface Delivery extends ListedDelivery {
  readonly payload: Row<"webhook_deliveries">["payload"];
  readonly response_body: string | null;
  /** The exact text that is signed and sent; serialising the payload again could change it. */
  readonly body: string;
}

export function useDelivery(id: string): ReadResult<Delivery> {
  const reading = useRows({
    table: "webhook_deliveries",
    key: ["one", id],
    read: (client) =>
      client
        .from("webhook_deliveries")
        .select<string, Delivery>(`${LISTED}, payload, response_body, body:payload::text`)
        .eq("id", id)
        .single(),
  });
  const { rows, reload } = reading;
  const onSignal = useCallback<OnSignal<DeliveriesSignal>>(
    (signal) => {
      if (signal?.delivery_ids?.includes(id) !== false) reload();
    },
    [id, reload],
  );
  useSignals(rows === undefined ? null : `webhook:${rows.webhook_id}`, onSignal, REQUEST_INTERVAL_MS);
  return reading;
}

/** All deliveries of one event, including replays. */
export function useDeliveriesOfEvent(eventId: string | undefined): ReadResult<readonly ListedDelivery[]> {
  return useRows({
    table: "webhook_deliveries",
    key: ["event", eventId],
    isOn: eventId !== undefined,
    read: (client) =>
      client
        .from("webhook_deliveries")
        .select<string, ListedDelivery>(LISTED)
        .eq("event_id", eventId ?? "")
        .order("created_at", { ascending: false })
        .limit(20),
  });
}

interface RetryOutcome {
  readonly isDelivered: boolean;
  /** The error message, when the attempt failed. */
  readonly reason: string;
}

export type RetriedDelivery = Pick<ListedDelivery, "id" | "status">;

/** Whether the user can ask for an attempt now. */
export function canRetryNow({ status }: RetriedDelivery): boolean {
  return status === "failed" || status === "retrying";
}

/** Makes one more attempt of a failed delivery, or the next one of a retrying delivery. Another failed attempt is an outcome, not an error. */
export function useRetryDelivery(): Write<RetriedDelivery, RetryOutcome> {
  return useWrite({
    tables: ["webhook_delivery_attempts"],
    write: async (client, { id, status }) => {
      const body = { action: status === "retrying" ? "send_now" : "retry", delivery_id: id };
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

interface ReplayedDelivery {
  readonly delivery_id: string;
  readonly webhook_id: string;
}

/** Sends the event again as a new delivery. */
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
