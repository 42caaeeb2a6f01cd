import { AppError } from "../../errors/index.ts";

/** A run as the interface describes it. */
export interface RunBody {
  readonly run_id: string;
  readonly status: "queued" | "running" | "requires_action" | "completed" | "partial" | "failed" | "cancelled";
  readonly stop_reason: string | null;
  readonly responses: readonly unknown[];
  readonly errors: readonly { readonly code: string; readonly message: string }[];
  /** Null unless the status is `requires_action`. */
  readonly pending_approvals: readonly unknown[] | null;
  readonly pending_client_calls: readonly unknown[] | null;
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

export function runHeaders(runId: string, isReplay: boolean): Record<string, string> {
  return { "x-run-id": runId, ...(isReplay && { "idempotent-replayed": "true" }) };
}

/** The response to a call: 202 for a run that has not ended, an error for one in which no agent could answer. */
export function answerWith(body: RunBody, headers: Readonly<Record<string, string>>): BodyAnswer {
  if (!isEndStatus(body.status)) return { status: 202, headers, body };
  if (body.status === "failed" && body.responses.length === 0) throw explainFailure(body, headers);
  return { status: 200, headers, body };
}

type FailureCode =
  | "PROVIDER_ERROR"
  | "PROVIDER_TIMEOUT"
  | "PROVIDER_NOT_CONFIGURED"
  | "INVALID_MODEL"
  | "RESPONSE_SCHEMA_MISMATCH"
  | "GUARDRAIL_BLOCKED"
  | "GUARDRAIL_FAILED"
  | "BUDGET_EXCEEDED"
  | "INTERNAL_ERROR"
  | "SERVICE_UNAVAILABLE";

function explainFailure(run: RunBody, headers: Readonly<Record<string, string>>): AppError {
  const [first] = run.errors;
  const message = first?.message ?? "No agent could answer";
  return new AppError(failureCodeOf(run), message, { headers: { ...headers }, members: { run } });
}

/** The code that all errors share, else PROVIDER_ERROR. A lost node is not an error of a provider. */
function failureCodeOf({ stop_reason: stopReason, errors }: RunBody): FailureCode {
  if (stopReason === "timeout") return "PROVIDER_TIMEOUT";
  if (stopReason === "budget_exceeded") return "BUDGET_EXCEEDED";
  if (stopReason === "worker_lost") return "SERVICE_UNAVAILABLE";
  const codes = new Set(errors.map(({ code }) => code));
  const [only = ""] = codes.size === 1 ? codes : [];
  return SHARED_CODES.find((code) => code === only) ?? "PROVIDER_ERROR";
}

const SHARED_CODES = [
  "PROVIDER_TIMEOUT",
  "PROVIDER_NOT_CONFIGURED",
  "INVALID_MODEL",
  "RESPONSE_SCHEMA_MISMATCH",
  "GUARDRAIL_BLOCKED",
  "GUARDRAIL_FAILED",
  "INTERNAL_ERROR",
] as const;
