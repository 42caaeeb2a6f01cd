import { type Attributes, context, SpanKind, SpanStatusCode } from "@opentelemetry/api";
import { contextBelow, traceparentOf, TRACER_NAME, type TraceSource } from "../observe/index.ts";
import type { Delivery } from "./delivery.ts";
import type { AttemptResult } from "./outcome.ts";
import { buildDeliveryHeaders } from "./sign.ts";
import type { WebhookTools } from "./webhook-options.ts";

const TRACEPARENT = "traceparent";

interface SendAttemptOptions extends Pick<WebhookTools, "outbound" | "clock" | "traceSource"> {
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

/** Sends one attempt with a span. The request has its trace context, unless the webhook sets the header itself. */
async function traceAttempt(
  { tracerProvider, propagates }: TraceSource,
  delivery: Delivery,
  send: (headers: Readonly<Record<string, string>>) => Promise<AttemptResult | null>,
): Promise<AttemptResult | null> {
  const isPartOfRequest = delivery.cause === "test" || delivery.cause === "manual";
  const parent = isPartOfRequest ? context.active() : contextBelow(delivery.traceparent);
  const span = tracerProvider
    .getTracer(TRACER_NAME)
    .startSpan(`webhook ${delivery.eventType}`, { kind: SpanKind.CLIENT, attributes: attributesOf(delivery) }, parent);
  const own = propagates ? traceparentOf(span) : undefined;
  const isSetByOwner = Object.keys(delivery.headers).some((name) => name.toLowerCase() === TRACEPARENT);
  try {
    const result = await send(own === undefined || isSetByOwner ? {} : { [TRACEPARENT]: own });
    if (result?.kind === "answered") span.setAttribute("http.response.status_code", result.status);
    const errorType = findErrorType(result);
    if (errorType !== null) {
      span.setAttribute("error.type", errorType);
      span.setStatus({ code: SpanStatusCode.ERROR });
    }
    return result;
  } finally {
    span.end();
  }
}

/** Only the host of the URL: path and query can contain secrets of the receiver. */
function attributesOf({ id, webhookId, eventId, eventType, attempts, url }: Delivery): Attributes {
  const target = URL.parse(url);
  return {
    "http.request.method": "POST",
    ...(target !== null && { "server.address": target.hostname, "server.port": Number(target.port || 443) }),
    "swarmbase.webhook.id": webhookId,
    "swarmbase.delivery.id": id,
    "swarmbase.delivery.attempt": attempts + 1,
    "swarmbase.event.id": eventId,
    "swarmbase.event.type": eventType,
  };
}

function findErrorType(result: AttemptResult | null): string | null {
  if (result === null) return "aborted";
  if (result.kind === "failed") return result.code;
  return result.status >= 200 && result.status < 300 ? null : String(result.status);
}
