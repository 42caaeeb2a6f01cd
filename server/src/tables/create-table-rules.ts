import type { ErrorCode } from "@swarmbase/sdk";
import type pg from "pg";
import { DEFAULT_MAXIMA, type RunMaxima } from "../agents/index.ts";
import { AppError } from "../errors/index.ts";
import {
  isWriteAttempt,
  type QualifiedName,
  type ReadAttempt,
  type RewrittenRows,
  type TableRules,
  type WriteAttempt,
} from "../rest/index.ts";
import { faultsError } from "./faults-error.ts";
import { canonicalUuid } from "./fields/uuid-field.ts";
import { findFaults } from "./find-faults.ts";
import { createIsOwnName, isOwnRelation } from "./own-names.ts";
import { explainCheck } from "./rejections/explain-check.ts";
import { explainReference } from "./rejections/explain-reference.ts";
import { explainRights } from "./rejections/explain-rights.ts";
import { findReason } from "./rejections/find-reason.ts";
import { loadReasonInput } from "./rejections/load-reason-input.ts";
import { placeOf, type RejectedAttempt } from "./rejections/rejected-attempt.ts";
import type { AddedTable } from "./rules/added-rule.ts";
import { allRules } from "./rules/all-rules.ts";
import { type FindUrlFault, findWebhookUrlFault } from "./rules/find-webhook-url-fault.ts";
import type { TableRule } from "./rules/table-rule.ts";
import type { ToolRuleChecks } from "./rules/tool-rules.ts";
import { createOwners, type OwnedTable, type Owners } from "./sql/owners.ts";
import { readWrittenRows } from "./written-rows.ts";

const UNREADABLE_VALUE = /^22/;

const NAMES: ReadonlyMap<string, Names> = new Map([
  ["agents", { table: "agents", noun: "agent", missing: "AGENT_NOT_FOUND", foreign: "PERMISSION_DENIED" }],
  ["webhooks", { table: "webhooks", noun: "webhook", missing: "WEBHOOK_NOT_FOUND", foreign: "FORBIDDEN" }],
]);

export interface TableRulesOptions {
  /** The pool of the service, which sees all rows. */
  readonly pool: pg.Pool;
  /** Checks a webhook URL without DNS; by default only its syntax is checked. */
  readonly findUrlFault?: FindUrlFault;
  /** Checks of tools; without them tools cannot have secrets. */
  readonly tools?: ToolRuleChecks;
  /** The tables of extensions in `public`. */
  readonly added?: readonly AddedTable[];
  /** What the operator permits in the settings of swarms. */
  readonly runMaxima?: RunMaxima;
}

export function createTableRules(options: TableRulesOptions): TableRules {
  const { pool, findUrlFault = findWebhookUrlFault, tools = null, added = [], runMaxima = DEFAULT_MAXIMA } = options;
  const rules = allRules({ findUrlFault, tools, added, runMaxima });
  const owners = createOwners(pool);
  const isOwn = createIsOwnName(added);
  const isRuled = (relation: QualifiedName): boolean => isOwn({ kind: "relation", ...relation });
  const ruleOf = (relation: QualifiedName): TableRule | null =>
    isRuled(relation) ? (rules.get(relation.name) ?? null) : null;
  return {
    beforeWrite(attempt) {
      const rule = ruleOf(attempt.relation);
      // The database rejects callers who may not write at all, before any field is validated.
      const isUnchecked = attempt.operation === "delete" || attempt.principal.role === "anon";
      return rule === null || isUnchecked ? null : checkRows(rule, attempt);
    },
    explainRejection(error, attempt, rowIndex) {
      if (!isRuled(attempt.relation)) return null;
      return explainRejection({ error, attempt, rowIndex, rule: ruleOf(attempt.relation), owners });
    },
    explainMissing: (attempt) => explainMissing(attempt, { owners, rule: ruleOf(attempt.relation) }),
    isUnchangedRowReturned: isNamedTable,
  };
}

function checkRows(rule: TableRule, attempt: WriteAttempt): RewrittenRows | null {
  const read = readWrittenRows(rule, attempt);
  const written = { ...read, ...rule.fill(read, attempt) };
  const faults = findFaults({ rule, attempt, written });
  if (faults.length > 0) throw faultsError(faults, attempt.operation, rule.isByCatalogue);
  const rewritten = rule.rewrite(written, attempt);
  if (rewritten !== null) return rewritten;
  const isAsSent = written.rows === attempt.rows && written.columns.length === attempt.columns.length;
  return isAsSent ? null : { rows: written.rows, columns: written.columns };
}

interface Names {
  readonly table: OwnedTable;
  readonly noun: string;
  readonly missing: ErrorCode;
  readonly foreign: ErrorCode;
}

/** Tables for which a missing row is a specific error, so that an existing row must be returned even when nothing changes. */
function isNamedTable(relation: QualifiedName): boolean {
  return isOwnRelation(relation) && NAMES.has(relation.name);
}

/** Applies when one row is addressed and the table has codes for its absence. An empty list is no error. */
async function explainMissing(
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

/** Maps database errors to the codes of `findFaults`. Errors without a code keep their SQLSTATE. */
async function explainRejection(rejection: RejectedAttempt): Promise<AppError | null> {
  const { error, attempt } = rejection;
  // Errors of a user-defined table that references a table of the service keep their text.
  if (error.table !== undefined && error.table !== attempt.relation.name) return null;
  if (attempt.principal.role === "anon" && error.code !== undefined && UNREADABLE_VALUE.test(error.code)) {
    return signInError(error);
  }
  switch (error.code) {
    case "42501":
      return explainRights(rejection);
    case "23514":
      return explainCheck(rejection);
    case "23503":
      return explainReference(rejection);
    case "23502":
      return explainNull(rejection);
    default:
      return null;
  }
}

function explainNull(rejection: RejectedAttempt): AppError | null {
  const { error, attempt, rule } = rejection;
  if (rule === null || error.column === undefined || !isWriteAttempt(attempt)) return null;
  const place = placeOf(rejection, error.column);
  return faultsError([{ place, message: "is required", code: null }], attempt.operation);
}

/** PostgreSQL parses values before it checks privileges; anonymous callers get 401 all the same. */
function signInError(cause: pg.DatabaseError): AppError {
  const headers = { "www-authenticate": "Bearer" };
  return new AppError("UNAUTHORIZED", "This table is open to signed-in users only", { headers, cause });
}
