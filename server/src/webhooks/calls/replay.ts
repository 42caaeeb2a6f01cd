import { AppError } from "../../errors/index.ts";
import { type ReplayedDelivery, replayEvent, selectEventOwners } from "../sql/replay-event.ts";
import type { WebhookTools } from "../webhook-options.ts";
import { type CallerId, getOwnActiveWebhook } from "./webhook-access.ts";

const EVENT_ID = /^(?:evt_)?([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/i;

export interface ReplayCall {
  readonly callerId: CallerId;
  /** As in the envelope, or the bare UUID of the delivery's column. */
  readonly eventId: string;
  /** Send it to this webhook, whether or not it received the event before; otherwise to all that did. */
  readonly webhookId?: string | undefined;
}

/** Sends an event again, as new deliveries with the same bytes. Their retries follow the schedule. */
export async function replay(tools: WebhookTools, call: ReplayCall): Promise<ReplayedDelivery[]> {
  const { callerId, webhookId } = call;
  const eventId = EVENT_ID.exec(call.eventId)?.[1];
  if (eventId === undefined)
    throw new AppError("VALIDATION_ERROR", "The event id is not well-formed.", {
      details: { event_id: "must be evt_ and a UUID" },
    });
  const target = webhookId === undefined ? null : await getOwnActiveWebhook(tools.pool, callerId, webhookId);
  const owners = await selectEventOwners(tools.pool, eventId);
  const wanted = target?.user_id ?? callerId;
  const concerned = wanted === null ? owners : owners.filter((owner) => owner === wanted);
  // An event of somebody else is not told apart from none: whether it exists is nobody's business.
  if (concerned.length === 0) throw new AppError("DELIVERY_NOT_FOUND", "There is no delivery of this event.");
  const replayed: ReplayedDelivery[] = [];
  for (const owner of concerned) replayed.push(...(await replayEvent(tools.pool, eventId, owner, webhookId ?? null)));
  return replayed;
}
