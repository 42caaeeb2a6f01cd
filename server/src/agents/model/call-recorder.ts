import type { LiveRun } from "../run/live-run.ts";
import { createFault, type FaultRow, type ModelCallRow, type PromptRow, type UsageRow } from "../writer/steps.ts";
import { ModelError } from "../../errors/index.ts";
import type { Attempt, AttemptObserver, ModelEvent, ModelFinish, ModelUsage } from "../providers/model-port.ts";
import type { ChatTrace, TurnSpan } from "../tracing.ts";
import { toUsageRow } from "./call-meter.ts";

interface RecordedCall extends Omit<ChatTrace, "callId" | keyof Attempt> {
  readonly startChat: TurnSpan["startChat"];
  readonly signal: AbortSignal;
  /** Undefined means that it is not recorded. */
  readonly prompt: Omit<PromptRow, "settings"> | undefined;
}

interface CallEnd {
  /** Null means that the answer is incomplete. */
  readonly finish: ModelFinish | null;
  readonly error: unknown;
  /** Null means that the call reached no provider. */
  readonly spent: { readonly usage: ModelUsage; readonly costUsd: number | null } | null;
  readonly text: string;
}

interface CallRecorder extends AttemptObserver {
  /** Must be called with every event of the call. */
  observe(event: ModelEvent): void;
  /** Ends the last attempt, to which all usage belongs. Returns the rows of all attempts. */
  close(end: CallEnd): readonly ModelCallRow[];
}

interface OpenAttempt {
  readonly id: string;
  readonly attempt: Attempt;
  readonly startedAt: Date;
  readonly span: ReturnType<TurnSpan["startChat"]>;
  /** As they were sent. */
  readonly settings: PromptRow["settings"];
  firstTokenMs: number | null;
}

/** Makes a row and a span of each request to a provider, with the same facts. */
export function createCallRecorder({ ports }: Pick<LiveRun, "ports">, call: RecordedCall): CallRecorder {
  const { startChat, signal, prompt, ...chat } = call;
  const rows: ModelCallRow[] = [];
  let open: OpenAttempt | null = null;

  const elapsedMs = ({ startedAt }: OpenAttempt): number =>
    // The clock of a machine can be set back.
    Math.max(0, ports.clock.now().getTime() - startedAt.getTime());

  const endAttempt = (ended: OpenAttempt, { finish, error, spent, text }: CallEnd): void => {
    open = null;
    const outcome = describeOutcome(finish, error, signal);
    const usage = spent === null ? null : toUsageRow(spent.usage, spent.costUsd);
    rows.push({
      id: ended.id,
      ...ended.attempt,
      ...outcome,
      finish_reason: finish,
      started_at: ended.startedAt.toISOString(),
      first_token_ms: ended.firstTokenMs,
      duration_ms: elapsedMs(ended),
      ...usage,
      ...(rows.length === 0 && prompt !== undefined && { prompt: { ...prompt, settings: ended.settings } }),
    });
    ended.span.end({
      errorType: outcome.status === "cancelled" ? "aborted" : (outcome.error?.code ?? null),
      firstTokenMs: ended.firstTokenMs,
      ...(finish !== null && { finishReason: finish }),
      ...(spent !== null && { usage: spent.usage, costUsd: spent.costUsd }),
      text,
    });
  };

  return {
    start(attempt, settings) {
      const id = ports.newId();
      const span = startChat({ ...chat, ...attempt, callId: id });
      open = { id, attempt, startedAt: ports.clock.now(), span, settings, firstTokenMs: null };
      return span.traceparent;
    },
    fail(error) {
      if (open !== null) endAttempt(open, { finish: null, error, spent: null, text: "" });
    },
    observe({ type }) {
      if (open !== null && (type === "text" || type === "reasoning")) open.firstTokenMs ??= elapsedMs(open);
    },
    close(end) {
      if (open !== null) endAttempt(open, end);
      else if (end.spent !== null) addUsage(rows, toUsageRow(end.spent.usage, end.spent.costUsd));
      return rows;
    },
  };
}

/** The call was aborted between two attempts. */
function addUsage(rows: ModelCallRow[], usage: UsageRow): void {
  const last = rows.pop();
  if (last !== undefined) rows.push({ ...last, ...usage });
}

function describeOutcome(
  finish: ModelFinish | null,
  error: unknown,
  signal: AbortSignal,
): Pick<ModelCallRow, "status" | "error"> {
  if (error instanceof ModelError) return { status: "failed", error: toFaultRow(error) };
  // An abort after the whole answer has arrived leaves a complete call.
  if (error === null || (finish !== null && signal.aborted)) return { status: "succeeded", error: null };
  if (signal.aborted) return { status: "cancelled", error: null };
  return { status: "failed", error: internalFault() };
}

export function toFaultRow(error: ModelError): FaultRow {
  return { ...createFault(error.code, error.message, error.isRetryable), provider_status: error.providerStatus };
}

export function internalFault(): FaultRow {
  return createFault("INTERNAL_ERROR", "An internal error occurred", true);
}
