import type { ErrorCode } from "@swarmbase/sdk";
import { AppError } from "../../errors/index.ts";
import { isWriteAttempt, type WriteAttempt } from "../../rest/index.ts";
import type { Row } from "../fields/field.ts";
import type { OwnedTable } from "../sql/owners.ts";
import { sentence } from "./explain-check.ts";
import { unknownReferenceError } from "./explain-reference.ts";
import { idIn, loadReasonInput } from "./load-reason-input.ts";
import { findReason } from "./find-reason.ts";
import { placeOf, type RejectedAttempt } from "./rejected-attempt.ts";

/** The routine of PostgreSQL that applies row-level rules to written rows. */
const ROW_RULE_ROUTINE = "ExecWithCheckOptions";

/** Tables whose rows belong to an agent. */
const OF_AN_AGENT: ReadonlySet<string> = new Set(["agents", "agent_tools"]);

/** Created with the account: no caller may insert or delete them. */
const OF_AN_ACCOUNT: ReadonlySet<string> = new Set(["profiles", "user_settings"]);

/**
 * Explains a missing privilege or a row-level rule. Null when the error is not about the service's tables and keeps its text, and
 * for anonymous callers, who get 401.
 */
export async function explainRights(rejection: RejectedAttempt): Promise<AppError | null> {
  const { error, attempt, rule } = rejection;
  if (attempt.principal.role === "anon" || !isWriteAttempt(attempt)) return null;
  const { name } = attempt.relation;
  if (rule === null) return rejected(rejection, { message: `${name} is read-only: only the service itself writes it` });
  // A trigger of the service provides the message.
  if (error.table !== undefined) {
    const code = codeOfTrigger(name, error.constraint ?? "");
    return rejected(rejection, { code, message: sentence(error.message), field: error.column });
  }
  const isUngranted = OF_AN_ACCOUNT.has(name) && attempt.operation !== "update";
  return error.routine === ROW_RULE_ROUTINE || isUngranted ? explainRow(rejection, attempt) : null;
}

function codeOfTrigger(table: string, constraint: string): ErrorCode {
  if (constraint.endsWith("_reject_api_key")) return "API_KEY_NOT_ALLOWED";
  if (constraint.endsWith("_require_key_scope")) return "INSUFFICIENT_SCOPE";
  return constraint.endsWith("_transfer") && OF_AN_AGENT.has(table) ? "PERMISSION_DENIED" : "FORBIDDEN";
}

/** Null when no rule of the service explains it: a user has added one. */
async function explainRow(rejection: RejectedAttempt, attempt: WriteAttempt): Promise<AppError | null> {
  const { rowIndex, owners, rule } = rejection;
  const { relation, principal, rows } = attempt;
  // When the rejected row of a long list is not known, all rows are checked for what they reference.
  const row = rows.length > 1 && rowIndex === null ? null : (rows[rowIndex ?? 0] ?? {});
  const named = await explainNamedRows(rejection, attempt, row === null ? rows : [row]);
  if (named !== null) return named;
  const { userId: callerId } = principal;
  if (row === null)
    return rejected(rejection, { message: `A row-level rule of ${relation.name} rejects one of the rows` });
  if (callerId === null || rule === null) return null;
  const reason = findReason(rule.name, await loadReasonInput(owners, attempt, { row, callerId }));
  const code = relation.name === "agents" ? "PERMISSION_DENIED" : "FORBIDDEN";
  return reason === null ? null : rejected(rejection, { code, ...reason });
}

/** Checks new rows for another user's agent, and for a tool or swarm that does not exist. */
async function explainNamedRows(
  rejection: RejectedAttempt,
  { principal, columns }: WriteAttempt,
  rows: readonly Row[],
): Promise<AppError | null> {
  const lookUp = async (column: string, table: OwnedTable) => {
    const ids = columns.includes(column) ? new Set(rows.flatMap((row) => idIn(row, column) ?? [])) : [];
    const found = await rejection.owners.find(table, [...ids]);
    const isForeign = [...found.values()].some((owner) => owner !== null && owner !== principal.userId);
    return { isForeign, isMissing: [...ids].some((id) => !found.has(id)) };
  };
  const agents = await lookUp("agent_id", "agents");
  if (agents.isForeign) {
    const message = "The agent belongs to another user";
    return rejected(rejection, { code: "PERMISSION_DENIED", message, field: "agent_id" });
  }
  if (agents.isMissing)
    return unknownReferenceError(rejection, { code: "AGENT_NOT_FOUND", noun: "agent", column: "agent_id" });
  if ((await lookUp("tool_id", "tools")).isMissing) {
    return unknownReferenceError(rejection, { code: "TOOL_NOT_FOUND", noun: "tool", column: "tool_id" });
  }
  if ((await lookUp("swarm_id", "swarms")).isMissing) {
    return unknownReferenceError(rejection, { code: "SWARM_NOT_FOUND", noun: "swarm", column: "swarm_id" });
  }
  return null;
}

interface RejectedInput {
  readonly code?: ErrorCode;
  readonly message: string;
  readonly field?: string | undefined;
}

/** For a list, the details contain the row. */
function rejected(rejection: RejectedAttempt, { code = "FORBIDDEN", message, field }: RejectedInput): AppError {
  const { error, attempt, rowIndex } = rejection;
  const isListed = rowIndex !== null && isWriteAttempt(attempt) && attempt.isArray;
  const details = isListed ? { [placeOf(rejection, field ?? "id")]: message } : null;
  return new AppError(code, message, { details, upstreamCode: "42501", cause: error });
}
