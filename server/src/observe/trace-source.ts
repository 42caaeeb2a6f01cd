import {
  type Context,
  context,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  trace,
  type TracerProvider,
} from "@opentelemetry/api";

/** Creates the spans of the service. Null where no telemetry is configured, so that requests then do nothing for it. */
export interface TraceSource {
  readonly tracerProvider: TracerProvider;
  /** Whether trace context is accepted from callers and sent to other systems. */
  readonly propagates: boolean;
}

/** The instrumentation scope of all spans. */
export const TRACER_NAME = "swarmbase";

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;
const MAX_TRACEPARENT_CHARS = 256;

/** Parses the W3C header; null when it is not valid. */
export function parseTraceparent(header: string | null | undefined): SpanContext | null {
  if (!header || header.length > MAX_TRACEPARENT_CHARS) return null;
  const [, traceId, spanId, flags] = TRACEPARENT.exec(header.trim()) ?? [];
  if (!traceId || !spanId || !flags) return null;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
}

/** The context of a child of the span that the W3C header names; the root context when it is not valid. */
export function contextBelow(header: string | null | undefined): Context {
  const remote = parseTraceparent(header);
  return remote === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, remote);
}

/** The W3C header of the active span; null when there is none or it is not recorded. */
export function activeTraceparent(): string | null {
  const span = trace.getSpan(context.active());
  return span?.isRecording() === true ? (traceparentOf(span) ?? null) : null;
}

/** The W3C header that names this span as the parent; undefined for a span without a trace. */
export function traceparentOf(span: Span): string | undefined {
  const spanContext = span.spanContext();
  if (!isSpanContextValid(spanContext)) return undefined;
  const { traceId, spanId, traceFlags } = spanContext;
  return `00-${traceId}-${spanId}-${(traceFlags & 1).toString(16).padStart(2, "0")}`;
}
