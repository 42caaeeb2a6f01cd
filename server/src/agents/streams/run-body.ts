import type { ErrorCode, RunStatus } from "@swarmbase/sdk";
import { AppError } from "../../errors/index.ts";

/** A run as the interface describes it. */
export interface RunBody {
  readonly run_id: string;
  readonly status: RunStatus;
  readonly stop_reason: string | null;
  readonly responses: readonly unknown[];
  readonly errors: readonly { readonly code: string; readonly message: string }[];
  /** Null unless the status is `requires_action`. */
  readonly pending_approvals: readonly unknown[] | null;
  readonly pending_client_calls: readonly unknown[] | null;
  /** Null unless a call waits for a time, a signal or a sub-task. */
  readonly pending_waits: readonly { readonly is_at_work?: boolean }[] | null;
  readonly [name: string]: unknown;
}

export interface BodyAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: RunBody;
}

const END_EVENTS: ReadonlySet<string> = new Set(["run.completed", "run.partial", "run.failed", "run.cancelled"]);
const END_STATUSES: ReadonlySet<string> = new Set(["completed", "partial", "failed", "cancelled"]);

export function isEndEvent(type: string): boolean {
  return END_EVENTS.has(type);
}

export function isEndStatus(status: string): boolean {
  return END_STATUSES.has(status);
}

/** Whether the run, or each sub-task that it waits for, is executed. Then nobody need do anything for its end. */
export function isAtWork({ status, pending_waits: waits }: RunBody): boolean {
  if (status !== "waiting") return status === "running";
  // What waits for nothing more is about to continue.
  return waits?.every((wait) => wait.is_at_work === true) ?? true;
}

export function runHeaders(runId: string, isReplay: boolean): Record<string, string> {
  return { "x-run-id": runId, ...(isReplay && { "idempotent-replayed": "true" }) };
}

/** The response to a call: 202 for a run that has not ended, an error for one in which no agent could answer. */
export function answerWith(body: RunBody, headers: Readonly<Record<string, string>>): BodyAnswer {
  if (!isEndStatus(body.status)) return { status: 202, headers, body };
  if (body.status === "failed") throw explainFailure(body, headers);
  return { status: 200, headers, body };
}

function explainFailure(run: RunBody, headers: Readonly<Record<string, string>>): AppError {
  const [first] = run.errors;
  const message = first?.message ?? "No agent could answer";
  return new AppError(failureCodeOf(run), message, { headers: { ...headers }, members: { run } });
}

/** The decisions and errors of the service itself. */
const OWN_CODES = [
  "RESPONSE_SCHEMA_MISMATCH",
  "GUARDRAIL_BLOCKED",
  "GUARDRAIL_FAILED",
  "CONTEXT_LENGTH_EXCEEDED",
  "MAX_TOKENS_REACHED",
  "LOOP_DETECTED",
  "INTERNAL_ERROR",
] as const satisfies ErrorCode[];
const PROVIDER_CODES = ["PROVIDER_TIMEOUT", "PROVIDER_NOT_CONFIGURED", "INVALID_MODEL"] as const satisfies ErrorCode[];

/** The code that all errors share. Of several, the first if none is a provider's, else PROVIDER_ERROR. A lost node is not an error of a provider. */
function failureCodeOf({ stop_reason: stopReason, errors }: RunBody): ErrorCode {
  if (stopReason === "timeout") return "PROVIDER_TIMEOUT";
  if (stopReason === "budget_exceeded") return "BUDGET_EXCEEDED";
  if (stopReason === "worker_lost") return "SERVICE_UNAVAILABLE";
  const own = errors.map(({ code }) => OWN_CODES.find((known) => known === code));
  const [first] = own;
  if (first !== undefined && !own.includes(undefined)) return first;
  const codes = new Set(errors.map(({ code }) => code));
  return PROVIDER_CODES.find((code) => codes.size === 1 && codes.has(code)) ?? "PROVIDER_ERROR";
}
