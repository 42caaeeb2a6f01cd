import { type Attributes, context, SpanKind, SpanStatusCode } from "@opentelemetry/api";
import { contextBelow, traceparentOf, TRACER_NAME, type TraceSource } from "../observe/index.ts";
import type { Delivery } from "./delivery.ts";
import type { AttemptResult } from "./outcome.ts";

const TRACEPARENT = "traceparent";

/** Sends one attempt with a span. The request has its trace context, unless the webhook sets the header itself. */
export async function traceAttempt(
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
