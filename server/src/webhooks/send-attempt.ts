import type { Delivery } from "./delivery.ts";
import type { AttemptResult } from "./outcome.ts";
import { buildDeliveryHeaders } from "./sign.ts";
import { traceAttempt } from "./trace-attempt.ts";
import type { WebhookTools } from "./webhook-options.ts";

export interface SendAttemptOptions extends Pick<WebhookTools, "outbound" | "clock" | "traceSource"> {
  readonly signal?: AbortSignal;
}

/** Sends one POST. Never rejects: every failure is a result. Returns null when the signal aborts it. */
export function sendAttempt(delivery: Delivery, options: SendAttemptOptions): Promise<AttemptResult | null> {
  const { traceSource = null } = options;
  if (traceSource === null) return post(delivery, options);
  return traceAttempt(traceSource, delivery, (headers) => post(delivery, options, headers));
}

async function post(
  delivery: Delivery,
  { outbound, clock, signal }: SendAttemptOptions,
  traceHeaders: Readonly<Record<string, string>> = {},
): Promise<AttemptResult | null> {
  const startedAtMs = performance.now();
  // Encoded once for both signatures and the socket.
  const body = Buffer.from(delivery.body);
  try {
    const result = await outbound.post({
      url: delivery.url,
      // The custom headers of the webhook come first, so that they cannot replace the headers of the service.
      headers: { ...delivery.headers, ...traceHeaders, ...buildDeliveryHeaders(delivery, body, clock.now()) },
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
