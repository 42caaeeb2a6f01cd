import { AppError, MEMBERSHIP_TEXTS } from "../../errors/index.ts";

const REFUSED_STATE = "SB126";
const CHECK_VIOLATION = "23514";
const UNIQUE_VIOLATION = "23505";
const BUSY_RETRY_SECONDS = 5;
/** The statement that records decisions on tool calls. */
export const DECIDE_STATEMENT = "respond-decide";

/** What the database refuses, and how that is explained. */
const MESSAGES = {
  VALIDATION_ERROR: "The request body is not valid",
  NO_AGENTS: "The swarm has no enabled agent that could answer",
  CONTENT_BLOCKED: "The message has a term that this swarm does not allow",
  FORBIDDEN: "Only the user who started a run, and the owner and admins of its swarm, can cancel or interrupt it",
  BUDGET_EXCEEDED: "The budget of the day is used up",
  SWARM_NOT_FOUND: "The swarm does not exist",
  RUN_NOT_FOUND: "There is no such run",
  SWARM_BUSY: "The swarm is busy with other runs",
  SWARM_NOT_ACTIVE: "The swarm is paused, completed or archived",
  APPROVAL_DECIDED: "The tool call does not wait for a decision any more",
  APPROVAL_EXPIRED: "The tool call has waited for a decision too long",
  IDEMPOTENCY_KEY_REUSED: "The Idempotency-Key was used before with a different request",
} as const;

type Refusal = keyof typeof MESSAGES;

export function refusal(code: Refusal, details: Record<string, string> | null = null): AppError {
  return new AppError(code, MESSAGES[code], {
    details,
    ...(code === "SWARM_BUSY" && { retryAfterSeconds: BUSY_RETRY_SECONDS }),
  });
}

/** A refusal of the named statement as what the caller is told; every other error comes back as it is. */
export function translateRefusal(error: unknown, statement: string): unknown {
  if (!(error instanceof Error)) return error;
  const { code, detail, constraint } = error as Error & Partial<Record<"code" | "detail" | "constraint", string>>;
  if (code === CHECK_VIOLATION && constraint === "messages_content_blocked") {
    return refusal("CONTENT_BLOCKED", { message: "has a term that this swarm does not allow" });
  }
  if (code === CHECK_VIOLATION && constraint === "messages_metadata_size") {
    return refusal("VALIDATION_ERROR", { metadata: "is too large" });
  }
  if (code === UNIQUE_VIOLATION && constraint === "messages_client_message_id_key") {
    return refusal("VALIDATION_ERROR", { client_message_id: "was used for another message" });
  }
  if (code !== REFUSED_STATE || detail === undefined) return error;
  const refused = JSON.parse(detail) as { code: Refusal; details: Record<string, string> | null };
  if (refused.code === "FORBIDDEN") return new AppError("FORBIDDEN", sayForbidden(refused.details, statement));
  return refusal(refused.code, refused.details);
}

/** By what the caller is in the swarm where that is the reason, else by what was asked for. */
function sayForbidden(details: Record<string, string> | null, statement: string): string {
  const membership = details?.["membership"] as keyof typeof MEMBERSHIP_TEXTS | undefined;
  if (membership !== undefined) return MEMBERSHIP_TEXTS[membership];
  return statement === DECIDE_STATEMENT
    ? "Only the owner of an agent can decide on its tool calls"
    : MESSAGES.FORBIDDEN;
}
