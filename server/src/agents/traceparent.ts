import type { SpanContext } from "@opentelemetry/api";

const FORM = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;
const MAX_CHARS = 256;

/** The W3C header, or null for whatever else a caller sends. */
export function parseTraceparent(header: string | null | undefined): SpanContext | null {
  if (!header || header.length > MAX_CHARS) return null;
  const [, traceId, spanId, flags] = FORM.exec(header.trim()) ?? [];
  if (!traceId || !spanId || !flags) return null;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
}

export function formatTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${(traceFlags & 1).toString(16).padStart(2, "0")}`;
}
