import { AppError } from "../../errors/index.ts";
import { activeTraceparent } from "../../observe/index.ts";
import { insertRecovery, type Recovery } from "../sql/recoveries.ts";
import { type ReplayedDelivery, replayEvent, selectEventOwners } from "../sql/replay-event.ts";
import type { WebhookTools } from "../webhook-options.ts";
import { type CallerId, getOwnActiveWebhook, type WebhookCall, webhookNotFound } from "./webhook-access.ts";

const EVENT_ID = /^(?:evt_)?([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/i;

interface ReplayCall {
  readonly callerId: CallerId;
  /** The id of the envelope, or the bare UUID of the column. */
  readonly eventId: string;
  /** The webhook to send to, whether or not it received the event before; without it, all webhooks that did. */
  readonly webhookId?: string | undefined;
}

/** Sends an event again as new deliveries with the same body. Retries follow the schedule. */
export async function replay({ pool }: WebhookTools, call: ReplayCall): Promise<ReplayedDelivery[]> {
  const { callerId, webhookId } = call;
  const eventId = EVENT_ID.exec(call.eventId)?.[1];
  if (eventId === undefined)
    throw new AppError("VALIDATION_ERROR", "The event id is not valid.", {
      details: { event_id: "must be evt_ and a UUID" },
    });
  const target = webhookId === undefined ? null : await getOwnActiveWebhook(pool, callerId, webhookId);
  const owners = await selectEventOwners(pool, eventId);
  const userId = target?.user_id ?? callerId;
  const visibleOwners = userId === null ? owners : owners.filter((owner) => owner === userId);
  // Events of other users and events that do not exist give the same error, which reveals nothing.
  if (visibleOwners.length === 0) throw new AppError("DELIVERY_NOT_FOUND", "There is no delivery of this event.");
  const replayed: ReplayedDelivery[] = [];
  const traceparent = activeTraceparent();
  for (const owner of visibleOwners)
    replayed.push(...(await replayEvent(pool, eventId, owner, webhookId ?? null, traceparent)));
  return replayed;
}

interface RecoverCall extends WebhookCall {
  readonly since: Date;
  /** Absent means now. */
  readonly until?: Date | undefined;
}

/** Starts to send all failed deliveries of a period again. Returns the running recovery of the webhook when there is one. */
export async function recoverSince({ pool, clock }: WebhookTools, call: RecoverCall): Promise<Recovery> {
  const { callerId, webhookId, since, until } = call;
  if (Number.isNaN(since.getTime()) || since.getTime() > clock.now().getTime())
    throw new AppError("VALIDATION_ERROR", "The time must be in the past.", {
      details: { since: "must be a time in the past" },
    });
  if (until !== undefined && !(until.getTime() > since.getTime()))
    throw new AppError("VALIDATION_ERROR", "The period must end after it begins.", {
      details: { until: "must be a time after since" },
    });
  await getOwnActiveWebhook(pool, callerId, webhookId);
  const recovery = await insertRecovery(pool, webhookId, { since, until: until ?? null });
  if (recovery === null) throw webhookNotFound();
  return recovery;
}
