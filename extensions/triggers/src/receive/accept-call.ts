import { AppError, type ExtensionContext, type ExtensionRequest, type Query } from "swarmbase/extension";
import { changeCall, findDepth, findQueue, insertCall, wakeWorkers } from "../sql/call-row.ts";
import { type FoundTrigger, type LockedTrigger, lockTrigger } from "../sql/trigger-row.ts";
import { type StartableCall, startCall } from "../start-call.ts";
import type { ReadCall } from "./read-payload.ts";

/** A run of a trigger may cause calls of triggers, and their runs further ones, but not without end. */
const MAX_DEPTH = 3;
/** Accepted calls of a trigger that wait for the limits of its owner. */
const MAX_WAITING = 1_000;
const FULL_RETRY_SECONDS = 60;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

interface AcceptedCall {
  /** Of the row. That of the first call, when the sender has sent the event again. */
  readonly call_id: string;
  readonly is_duplicate: boolean;
}

interface SentCall {
  readonly read: ReadCall;
  readonly headers: ExtensionRequest["headers"];
}

/**
 * Stores a call, and starts its run in the same transaction: what is answered with 202 is neither lost nor done twice. Null means that the trigger was
 * changed since the call was verified.
 */
export function acceptCall(
  context: ExtensionContext,
  found: FoundTrigger,
  sent: SentCall,
): Promise<AcceptedCall | null> {
  const { database, newId } = context;
  return database.asService(async (query) => {
    const trigger = await lockTrigger(query, found.id);
    if (trigger === null || !trigger.enabled || trigger.updated_at.getTime() !== found.updated_at.getTime())
      return null;
    const id = newId();
    const { eventId, eventType, text } = sent.read;
    const depth = await findDepthOf(query, sent.headers);
    const known = await insertCall(query, {
      id,
      trigger_id: trigger.id,
      user_id: trigger.user_id,
      event_id: eventId ?? id,
      event_type: eventType,
      text,
      depth,
      replays: null,
    });
    if (known !== null) return { call_id: known, is_duplicate: true };
    await startOrQueue(context, query, trigger, { id, text, depth });
    return { call_id: id, is_duplicate: false };
  });
}

async function startOrQueue(
  ports: Pick<ExtensionContext, "startRun">,
  query: Query,
  trigger: LockedTrigger,
  call: StartableCall,
): Promise<void> {
  const nothing = { error: null, run_id: null, swarm_id: null, retry_at: null, finished_at: null };
  if (call.depth > MAX_DEPTH) {
    const message = `More than ${MAX_DEPTH} runs of triggers, one after the other, led to this call`;
    const error = { code: "LOOP_DETECTED", message };
    await changeCall(query, call.id, { ...nothing, status: "loop_detected", error, finished_at: trigger.now });
    return;
  }
  const { count, retry_at } = await findQueue(query, trigger.id, MAX_WAITING);
  if (count >= MAX_WAITING)
    throw new AppError("RATE_LIMITED", "Too many calls of the trigger wait for the limits of its owner", {
      retryAfterSeconds: FULL_RETRY_SECONDS,
    });
  // It does not pass those that came before it.
  if (count > 0) {
    await changeCall(query, call.id, { ...nothing, status: "waiting", retry_at });
    return;
  }
  const answer = await startCall(ports, query, trigger, call);
  if (answer.outcome === "limited") await wakeWorkers(query);
}

/** A delivery of a webhook of the service, or a call of one of its tools. */
function findDepthOf(query: Query, headers: SentCall["headers"]): Promise<number> {
  const [deliveryId = null, executionId = null] = [headers["x-service-delivery"], headers["idempotency-key"]].map(
    (value) => (value !== undefined && UUID.test(value) ? value : null),
  );
  return findDepth(query, deliveryId, executionId);
}
