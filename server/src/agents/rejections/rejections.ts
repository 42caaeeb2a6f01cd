import { AppError, MEMBERSHIP_TEXTS } from "../../errors/index.ts";

const REJECTED_STATE = "SB126";
const CHECK_VIOLATION = "23514";
const UNIQUE_VIOLATION = "23505";
const BUSY_RETRY_SECONDS = 5;
/** The statement that records decisions on tool calls. */
export const DECIDE_STATEMENT = "respond-decide";
/** The statement that stores results of the client. */
export const SUBMIT_STATEMENT = "respond-submit";
export const SIGNAL_STATEMENT = "respond-signal";

/** The codes with which the database rejects a request, and their messages. */
const MESSAGES = {
  VALIDATION_ERROR: "The request body is not valid",
  NO_AGENTS: "The swarm has no enabled agent that could answer",
  CONTENT_BLOCKED: "The message has a term that this swarm does not allow",
  FORBIDDEN: "Only the user who started a run, and the owner and admins of its swarm, can cancel or interrupt it",
  BUDGET_EXCEEDED: "The budget of the day is used up",
  AGENT_NOT_FOUND: "The agent does not exist",
  PERMISSION_DENIED: "The agent belongs to another user",
  GRANT_NOT_FOUND: "The grant does not exist",
  RATE_LIMITED: "Your daily limit for this agent is used up",
  SWARM_NOT_FOUND: "The swarm does not exist",
  RUN_NOT_FOUND: "The run does not exist",
  SWARM_BUSY: "The swarm is busy with other runs",
  SWARM_NOT_ACTIVE: "The swarm is paused, completed or archived",
  APPROVAL_DECIDED: "The tool call no longer waits for a decision",
  APPROVAL_EXPIRED: "The tool call has waited for a decision too long",
  TOOL_RESULT_SUBMITTED: "The tool call no longer waits for a result",
  CLIENT_TOOL_EXPIRED: "The tool call has waited for its result too long",
  RUN_ENDED: "The run has ended",
  SIGNAL_LIMIT_REACHED: "The run keeps 100 signals that it has not waited for yet",
  IDEMPOTENCY_KEY_REUSED: "The Idempotency-Key was used before with a different request",
} as const;

type RejectionCode = keyof typeof MESSAGES;

/** Whose limit a request exceeds, unless it is the caller's. */
const BUDGET_MESSAGES: Readonly<Record<string, string>> = {
  grant: "The limit of the day that the agent's owner has set for all who ask it is used up",
  owner: "The budget of the agent's owner for the day is used up",
};

/** Why the database rejected a request. */
export interface Rejection {
  readonly code: RejectionCode;
  readonly details: Readonly<Record<string, string>> | null;
  readonly retry_after?: number;
}

export function createRejection(code: RejectionCode, details: Rejection["details"] = null): AppError {
  return new AppError(code, MESSAGES[code], {
    details,
    ...(code === "SWARM_BUSY" && { retryAfterSeconds: BUSY_RETRY_SECONDS }),
  });
}

/** The error that the client gets. The message for FORBIDDEN depends on the statement. */
export function toRejectionError(
  { code, details, retry_after: retryAfterSeconds }: Rejection,
  statement?: string,
): AppError {
  if (code === "FORBIDDEN") return new AppError("FORBIDDEN", explainForbidden(details, statement));
  if (code === "RATE_LIMITED" && retryAfterSeconds !== undefined)
    return new AppError(code, MESSAGES[code], { retryAfterSeconds });
  if (code === "BUDGET_EXCEEDED")
    return new AppError(code, BUDGET_MESSAGES[details?.["limit"] ?? ""] ?? MESSAGES[code]);
  return createRejection(code, details);
}

/** Translates an error of the named statement that is a rejection. Returns every other error as it is. */
export function translateRejection(error: unknown, statement: string): unknown {
  if (!(error instanceof Error)) return error;
  const { code, detail, constraint } = error as Error & Partial<Record<"code" | "detail" | "constraint", string>>;
  if (code === CHECK_VIOLATION && constraint === "messages_content_blocked") {
    return createRejection("CONTENT_BLOCKED", { message: "has a term that this swarm does not allow" });
  }
  if (code === CHECK_VIOLATION && constraint === "messages_metadata_size") {
    return createRejection("VALIDATION_ERROR", { metadata: "is too large" });
  }
  if (code === UNIQUE_VIOLATION && constraint === "messages_client_message_id_key") {
    return createRejection("VALIDATION_ERROR", { client_message_id: "was used for another message" });
  }
  if (code !== REJECTED_STATE || detail === undefined) return error;
  return toRejectionError(JSON.parse(detail) as Rejection, statement);
}

/** Names the user's role in the swarm when that is the reason, else the rule for the statement. */
function explainForbidden(details: Rejection["details"], statement: string | undefined): string {
  const membership = details?.["membership"] as keyof typeof MEMBERSHIP_TEXTS | undefined;
  if (membership !== undefined) return MEMBERSHIP_TEXTS[membership];
  if (statement === DECIDE_STATEMENT) return "Only the approver of a tool call can decide on it";
  if (statement === SUBMIT_STATEMENT) return "Only the user who started a run can submit results of its tool calls";
  if (statement === SIGNAL_STATEMENT)
    return "Only the user who started a run can send it this signal: no call waits for it from other members";
  return MESSAGES.FORBIDDEN;
}
