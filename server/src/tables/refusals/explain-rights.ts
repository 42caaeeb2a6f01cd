import { AppError } from "../../errors/index.ts";
import type { WriteAttempt } from "../../rest/index.ts";
import { canonicalUuid } from "../fields/uuid-field.ts";
import type { OwnedTable } from "../sql/select-owners.ts";
import { sentence } from "./explain-check.ts";
import { notFoundError } from "./explain-reference.ts";
import { isWrite, type Refusal } from "./refusal.ts";

/** Tables whose rows stand for an agent: refusing them is a matter of that agent. */
const OF_AN_AGENT: ReadonlySet<string> = new Set(["agents", "agent_tools"]);

/** A right of the role or a row rule stood in the way. Without a user it stays a matter of signing in. */
export async function explainRights(refusal: Refusal): Promise<AppError | null> {
  const { error, attempt } = refusal;
  if (attempt.caller.role === "anon") return null;
  const isTransfer = error.constraint?.endsWith("_transfer") === true;
  if (attempt.relation.name === "agents" || (isTransfer && OF_AN_AGENT.has(attempt.relation.name))) {
    return permissionDenied(refusal);
  }
  if (isWrite(attempt) && attempt.caller.role === "authenticated") {
    const named = await explainNamedRows(refusal, attempt);
    if (named !== null) return named;
  }
  // A trigger of ours says why; PostgreSQL's own words are about policies and tables.
  const isOurs = error.table !== undefined;
  return forbidden(refusal, isOurs ? sentence(error.message) : "You are not allowed to do this");
}

/** New rows that name somebody else's agent, or a tool or swarm that is not there at all. */
async function explainNamedRows(refusal: Refusal, attempt: WriteAttempt): Promise<AppError | null> {
  const {
    attempt: { caller },
    owners,
  } = refusal;
  const look = async (column: string, table: OwnedTable) => {
    const ids = idsIn(attempt, column);
    const found = await owners.find(table, ids);
    const foreign = [...found.values()].some((owner) => owner !== null && owner !== caller.userId);
    return { isForeign: foreign, isMissing: ids.some((id) => !found.has(id)) };
  };
  if ((await look("agent_id", "agents")).isForeign) return permissionDenied(refusal);
  if ((await look("tool_id", "tools")).isMissing)
    return notFoundError(refusal, { code: "TOOL_NOT_FOUND", noun: "tool", column: "tool_id" });
  if ((await look("swarm_id", "swarms")).isMissing)
    return notFoundError(refusal, { code: "SWARM_NOT_FOUND", noun: "swarm", column: "swarm_id" });
  return null;
}

function idsIn({ rows, columns }: WriteAttempt, column: string): string[] {
  if (!columns.includes(column)) return [];
  const ids = rows.flatMap((row) => {
    const value = Object.hasOwn(row, column) ? row[column] : null;
    const id = typeof value === "string" ? canonicalUuid(value) : null;
    return id === null ? [] : [id];
  });
  return [...new Set(ids)];
}

function permissionDenied({ error }: Refusal): AppError {
  const extra = { upstreamCode: "42501", cause: error };
  return new AppError("PERMISSION_DENIED", "The agent belongs to another user", extra);
}

function forbidden({ error }: Refusal, message: string): AppError {
  return new AppError("FORBIDDEN", message, { upstreamCode: "42501", cause: error });
}
