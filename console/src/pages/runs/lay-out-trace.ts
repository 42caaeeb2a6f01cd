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
  readonly fromMs: number;
  readonly untilMs: number;
  /** Only of model calls. */
  readonly firstTokenMs: number | null;
  readonly tone: Tone;
  readonly part: ModelCall | TraceTurn | ToolCall | null;
  /** Of the run, or of the sub-task, that it belongs to. */
  readonly trace: Trace;
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
  const spans = layOutRun(trace, nowMs).map((span) => ({ ...span, trace }));
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
    return [span, ...below];
  });
}

type RunSpan = Omit<Span, "trace">;

function layOutRun(trace: Trace, nowMs: number): RunSpan[] {
  const begun = trace.started_at ?? trace.finished_at;
  const queue: RunSpan = {
    key: "queue",
    kind: "queue",
    depth: 0,
    name: "Queue",
    note: null,
    fromMs: timeOf(trace.queued_at),
    untilMs: begun === null ? nowMs : Math.max(timeOf(begun), timeOf(trace.queued_at)),
    firstTokenMs: null,
    tone: "neutral",
    part: null,
  };
  const groups = [
    ...trace.selections.map((call) => [toCallSpan(call, [], "selection")]),
    ...trace.turns.map((turn) => layOutTurn(turn, nowMs)),
  ].toSorted((one, other) => (one[0]?.fromMs ?? 0) - (other[0]?.fromMs ?? 0));
  return [queue, ...groups.flat()];
}

function layOutTurn(turn: TraceTurn, nowMs: number): RunSpan[] {
  const calls = sortCalls(turn.model_calls);
  const fromMs = timeOf(turn.started_at ?? turn.created_at);
  const parts = [
    ...calls.map((call, place) => toCallSpan(call, calls.slice(0, place), "model")),
    ...turn.tool_executions.flatMap((call) => toToolSpans(call, nowMs)),
  ].toSorted((one, other) => one.fromMs - other.fromMs);
  const whole: RunSpan = {
    key: turn.id,
    kind: "turn",
    depth: 0,
    name: turn.agent_name,
    note: turn.error?.message ?? null,
    fromMs: Math.min(fromMs, ...parts.map((part) => part.fromMs)),
    untilMs: turn.finished_at === null ? nowMs : Math.max(fromMs, timeOf(turn.finished_at)),
    firstTokenMs: null,
    tone: toneOf(turn.status),
    part: turn,
  };
  return [whole, ...parts];
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
    note: describeAttempt(call, before) ?? call.error?.message ?? null,
    fromMs,
    untilMs: fromMs + call.duration_ms,
    firstTokenMs: call.first_token_ms,
    tone: CALL_TONES[call.status],
    part: call,
  };
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
  const common = { depth: 1, name, firstTokenMs: null, part: call } as const;
  const spans: RunSpan[] = [];
  // A call that had to wait for a decision starts only after it.
  if (call.expires_at !== null && startedMs !== createdMs)
    spans.push({
      ...common,
      key: `wait-${key}`,
      kind: "approval",
      note: describeDecision(call),
      fromMs: createdMs,
      untilMs: startedMs ?? endMs,
      tone: status === "denied" ? "bad" : "thinking",
    });
  if (startedMs !== null)
    spans.push({
      ...common,
      key,
      kind: "tool",
      note: NOTES[status] ?? call.error?.message ?? null,
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
