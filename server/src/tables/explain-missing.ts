import type { ErrorCode } from "@swarmbase/sdk";
import { AppError } from "../errors/index.ts";
import { isWriteAttempt, type QualifiedName, type ReadAttempt, type WriteAttempt } from "../rest/index.ts";
import { canonicalUuid } from "./fields/uuid-field.ts";
import { isOwnRelation } from "./own-names.ts";
import { loadReasonInput } from "./rejections/load-reason-input.ts";
import { findReason } from "./rejections/find-reason.ts";
import type { RejectedAttempt } from "./rejections/rejected-attempt.ts";
import type { TableRule } from "./rules/table-rule.ts";
import type { OwnedTable, Owners } from "./sql/owners.ts";

interface Names {
  readonly table: OwnedTable;
  readonly noun: string;
  readonly missing: ErrorCode;
  readonly foreign: ErrorCode;
}

const NAMES: ReadonlyMap<string, Names> = new Map([
  ["agents", { table: "agents", noun: "agent", missing: "AGENT_NOT_FOUND", foreign: "PERMISSION_DENIED" }],
  ["webhooks", { table: "webhooks", noun: "webhook", missing: "WEBHOOK_NOT_FOUND", foreign: "FORBIDDEN" }],
]);

/** Tables for which a missing row is a specific error, so that an existing row must be returned even when nothing changes. */
export function isNamedTable(relation: QualifiedName): boolean {
  return isOwnRelation(relation) && NAMES.has(relation.name);
}

/** Applies when one row is addressed and the table has codes for its absence. An empty list is no error. */
export async function explainMissing(
  attempt: ReadAttempt | WriteAttempt,
  { owners, rule }: Pick<RejectedAttempt, "owners" | "rule">,
): Promise<AppError | null> {
  const { relation, pinnedId, principal } = attempt;
  const id = canonicalUuid(pinnedId);
  if (!isOwnRelation(relation) || id === null || principal.role === "anon") return null;
  const names = NAMES.get(relation.name);
  if (names === undefined) return isWriteAttempt(attempt) ? explainUnchanged(attempt, owners, rule) : null;
  const ownerId = (await owners.find(names.table, [id])).get(id) ?? null;
  const isForeign = ownerId !== null && principal.role === "authenticated" && ownerId !== principal.userId;
  const extra = { upstreamCode: "PGRST116" };
  return isForeign
    ? new AppError(names.foreign, `The ${names.noun} belongs to another user`, extra)
    : new AppError(names.missing, `There is no ${names.noun} with the id ${id}`, extra);
}

/** Explains rows that the caller can see but not change. Hidden rows are not explained. */
async function explainUnchanged(
  attempt: WriteAttempt,
  owners: Owners,
  rule: TableRule | null,
): Promise<AppError | null> {
  const { principal, rows } = attempt;
  const { userId: callerId } = principal;
  if (callerId === null || rule === null) return null;
  const input = await loadReasonInput(owners, attempt, { row: rows[0] ?? {}, callerId });
  if (input.target?.is_seen !== true) return null;
  const reason = findReason(rule.name, input);
  return reason === null ? null : new AppError("FORBIDDEN", reason.message, { upstreamCode: "42501" });
}
