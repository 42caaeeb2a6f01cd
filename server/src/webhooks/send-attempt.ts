import type { Outbound } from "../outbound/index.ts";
import type { Clock } from "../time/index.ts";
import type { Delivery } from "./delivery.ts";
import type { AttemptResult } from "./outcome.ts";
import { buildSignedHeaders } from "./sign.ts";

const USER_AGENT = "Swarmbase-Webhooks/1";

export interface SendAttemptOptions {
  readonly outbound: Outbound;
  readonly clock: Clock;
  readonly signal?: AbortSignal;
}

/** One POST. Never rejects: whatever goes wrong on the way is a result. Null when the signal broke it off. */
export async function sendAttempt(delivery: Delivery, options: SendAttemptOptions): Promise<AttemptResult | null> {
  const { outbound, clock, signal } = options;
  const startedAtMs = performance.now();
  // Once, for both signatures and for the socket.
  const body = Buffer.from(delivery.body);
  try {
    const result = await outbound.post({
      url: delivery.url,
      headers: buildHeaders(delivery, body, clock),
      body,
      timeoutMs: delivery.timeoutMs,
      ...(signal === undefined ? {} : { signal }),
    });
    if (result.kind === "answered") return result;
    const { code } = result;
    return code === "aborted" ? null : { ...result, code };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { kind: "failed", code: "protocol", message, durationMs: Math.round(performance.now() - startedAtMs) };
  }
}

/** The webhook's own headers come first, so that none of them can stand in for one of ours. */
function buildHeaders(delivery: Delivery, body: Buffer, clock: Clock): Record<string, string> {
  const { id, eventId, eventType, secret, previousSecrets, headers } = delivery;
  return {
    ...headers,
    "Content-Type": "application/json",
    "User-Agent": USER_AGENT,
    ...buildSignedHeaders({
      deliveryId: id,
      eventId,
      eventType,
      body,
      secret,
      previousSecrets,
      timestampSeconds: Math.floor(clock.now().getTime() / 1_000),
    }),
  };
}
