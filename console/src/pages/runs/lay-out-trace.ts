import type { ModelCall, Trace, TraceTurn } from "../../data/traces.ts";
import type { ToolCall } from "../../data/runs.ts";
import type { Tone } from "../../components/badge.tsx";
import { toneOf } from "../../components/status-dot.tsx";

/** One bar of the waterfall. */
export interface Span {
  /** Unique within the trace, for the address of the page. */
  readonly key: string;
  readonly kind: "queue" | "turn" | "selection" | "model" | "tool" | "approval";
  readonly depth: number;
  readonly name: string;
  /** What is special about it: a retry, a fallback, a decision. */
  readonly note: string | null;
  /** What went wrong, with the status of the provider's response. */
  readonly error: string | null;
  readonly fromMs: number;
  readonly untilMs: number;
  /** What it took, wherever this is shown: as the service measured it, which leaves out waits and the time to store it. */
  readonly tookMs: number;
  readonly costUsd: number | null;
  /** Only of model calls. */
  readonly firstTokenMs: number | null;
  readonly tone: Tone;
  readonly part: ModelCall | TraceTurn | ToolCall | null;
  /** Of the run, or of the sub-task, that it belongs to. */
  readonly trace: Trace;
  /** The parts of its sub-task follow. */
  readonly isParent?: true;
}

const CALL_TONES: Readonly<Record<ModelCall["status"], Tone>> = {
  succeeded: "responding",
  failed: "bad",
  cancelled: "neutral",
};
const TOOL_TONES: Readonly<Record<ToolCall["status"], Tone>> = {
  pending_approval: "thinking",
  pending_client: "thinking",
  waiting: "thinking",
  running: "responding",
  succeeded: "accent",
  failed: "bad",
  denied: "bad",
  timed_out: "bad",
  cancelled: "neutral",
};

const NOTES: { readonly [Status in ToolCall["status"]]?: string } = {
  pending_client: "Waits for the app",
  waiting: "Waits",
};

const timeOf = (at: string): number => Date.parse(at);

/** All spans of a run in the order of their beginning: those of a turn below it, those of a sub-task below the call that began it. */
export function layOutTrace(trace: Trace, nowMs: number, others: readonly Trace[] = []): Span[] {
  // Without a measured time, the bar says what it took.
  const spans = layOutRun(trace, nowMs).map((span) => ({ tookMs: span.untilMs - span.fromMs, ...span, trace }));
  return spans.flatMap((span) => {
    const { part } = span;
    const subRunId = part !== null && "sub_run_id" in part && span.kind === "tool" ? part.sub_run_id : null;
    const sub = others.find(({ id }) => id === subRunId);
    if (sub === undefined) return [span];
    const below = layOutTrace(sub, nowMs, others).map((inner) => ({
      ...inner,
      key: inner.key === "queue" ? `queue-${sub.id}` : inner.key,
      depth: inner.depth + span.depth + 1,
    }));
    return [{ ...span, costUsd: sub.usage?.cost_usd ?? null, isParent: true as const }, ...below];
  });
}

type RunSpan = Omit<Span, "trace" | "tookMs"> & Partial<Pick<Span, "tookMs">>;

function layOutRun(trace: Trace, nowMs: number): RunSpan[] {
  const begun = trace.started_at ?? trace.finished_at;
  const queue: RunSpan = {
    key: "queue",
    kind: "queue",
    depth: 0,
    name: "Queue",
    note: null,
    error: null,
    fromMs: timeOf(trace.queued_at),
    untilMs: begun === null ? nowMs : Math.max(timeOf(begun), timeOf(trace.queued_at)),
    firstTokenMs: null,
    costUsd: null,
    tone: "neutral",
    part: null,
  };
  const groups = [
    ...trace.selections.map((call) => [toCallSpan(call, [], "selection")]),
    ...trace.turns.map((turn) => layOutTurn(turn, nowMs)),
    ...trace.otherCalls.map((call) => toToolSpans(call, nowMs).map((span) => ({ ...span, depth: 0 }))),
  ].toSorted((one, other) => (one[0]?.fromMs ?? 0) - (other[0]?.fromMs ?? 0));
  return [queue, ...groups.flat()];
}

function layOutTurn(turn: TraceTurn, nowMs: number): RunSpan[] {
  const calls = sortCalls(turn.model_calls);
  const parts = [
    ...calls.map((call, place) => toCallSpan(call, calls.slice(0, place), "model")),
    ...turn.tool_executions.flatMap((call) => toToolSpans(call, nowMs)),
  ].toSorted((one, other) => one.fromMs - other.fromMs);
  // The row of the turn has the times at which it was stored.
  const fromMs = Math.min(
    ...(parts.length > 0 ? parts.map((part) => part.fromMs) : [timeOf(turn.started_at ?? turn.created_at)]),
  );
  const endMs = turn.finished_at === null ? nowMs : Math.max(fromMs, timeOf(turn.finished_at));
  const whole: RunSpan = {
    key: turn.id,
    kind: "turn",
    depth: 0,
    name: turn.agent_name,
    note: null,
    error: turn.error?.message ?? null,
    fromMs,
    untilMs: Math.max(fromMs + (turn.duration_ms ?? endMs - fromMs), ...parts.map((part) => part.untilMs)),
    firstTokenMs: null,
    costUsd: turn.cost_usd,
    tone: toneOf(turn.status),
    part: turn,
    ...(turn.duration_ms !== null && { tookMs: turn.duration_ms }),
  };
  return [whole, ...parts];
}

/** How long it waited for others, if that is most of its bar. */
export function waitOf({ fromMs, untilMs, tookMs }: Span): number | null {
  const waitedMs = untilMs - fromMs - tookMs;
  return waitedMs > tookMs ? waitedMs : null;
}

export function sortCalls(calls: readonly ModelCall[]): readonly ModelCall[] {
  return calls.toSorted(
    (one, other) => timeOf(one.started_at) - timeOf(other.started_at) || one.attempt - other.attempt,
  );
}

function toCallSpan(call: ModelCall, before: readonly ModelCall[], kind: "model" | "selection"): RunSpan {
  const fromMs = timeOf(call.started_at);
  return {
    key: call.id,
    kind,
    depth: kind === "model" ? 1 : 0,
    name: kind === "model" ? call.model : `Selection of the next speaker, ${call.model}`,
    note: describeAttempt(call, before),
    error: describeFault(call),
    fromMs,
    untilMs: fromMs + call.duration_ms,
    firstTokenMs: call.first_token_ms,
    costUsd: call.cost_usd,
    tone: CALL_TONES[call.status],
    part: call,
  };
}

function describeFault({ error }: ModelCall): string | null {
  const status = error?.provider_status ?? null;
  return error === null ? null : `${status === null ? "" : `HTTP ${status}: `}${error.message}`;
}

/** A higher attempt with another provider is a fallback. */
function describeAttempt({ attempt, framework, model }: ModelCall, before: readonly ModelCall[]): string | null {
  if (attempt === 1) return null;
  const first = before.findLast((call) => call.attempt === 1);
  const isFallback = first !== undefined && (first.framework !== framework || first.model !== model);
  return isFallback ? `Fallback, attempt ${attempt}` : `Retry, attempt ${attempt}`;
}

function toToolSpans(call: ToolCall, nowMs: number): RunSpan[] {
  const { id: key, tool_name: name, status } = call;
  const createdMs = timeOf(call.created_at);
  const startedMs = call.started_at === null ? null : timeOf(call.started_at);
  const endMs = call.finished_at === null ? nowMs : timeOf(call.finished_at);
  const common = { depth: 1, name, firstTokenMs: null, costUsd: null, part: call } as const;
  const spans: RunSpan[] = [];
  // A call that had to wait for a decision starts only after it.
  if (call.expires_at !== null && startedMs !== createdMs)
    spans.push({
      ...common,
      key: `wait-${key}`,
      kind: "approval",
      note: describeDecision(call),
      error: null,
      fromMs: createdMs,
      untilMs: startedMs ?? endMs,
      tone: status === "denied" ? "bad" : "thinking",
    });
  if (startedMs !== null)
    spans.push({
      ...common,
      key,
      kind: "tool",
      note: NOTES[status] ?? null,
      error: call.error?.message ?? null,
      fromMs: startedMs,
      untilMs: call.duration_ms === null ? endMs : startedMs + call.duration_ms,
      tone: TOOL_TONES[status],
    });
  return spans;
}

function describeDecision({ status, error }: ToolCall): string {
  if (status === "pending_approval") return "Waits for a decision";
  if (status === "denied") return error?.code === "APPROVAL_EXPIRED" ? "No decision in time" : "Denied";
  return "Approved";
}

/**
 * The parts that the end of the run waited for, by key, with the milliseconds that each adds: from the end backwards, always the part
 * that was under way last.
 */
export function findCriticalPath(spans: readonly Span[]): ReadonlyMap<string, number> {
  const parts = spans.filter(({ kind, isParent }) => kind !== "turn" && isParent !== true);
  const path = new Map<string, number>();
  for (let endMs = Number.POSITIVE_INFINITY; ; ) {
    const before = parts.filter(({ key, fromMs }) => fromMs < endMs && !path.has(key));
    const last = before.toSorted((one, other) => Math.min(other.untilMs, endMs) - Math.min(one.untilMs, endMs))[0];
    if (last === undefined) return path;
    path.set(last.key, Math.min(last.untilMs, endMs) - last.fromMs);
    endMs = last.fromMs;
  }
}
