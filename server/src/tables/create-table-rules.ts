import type pg from "pg";
import { DEFAULT_MAXIMA, type RunMaxima } from "../agents/index.ts";
import type { QualifiedName, RewrittenRows, TableRules, WriteAttempt } from "../rest/index.ts";
import { explainMissing, isNamedTable } from "./explain-missing.ts";
import { faultsError } from "./faults-error.ts";
import { findFaults } from "./find-faults.ts";
import { createIsOwnName } from "./own-names.ts";
import { createOwners } from "./sql/owners.ts";
import { explainRejection } from "./rejections/explain-rejection.ts";
import type { AddedTable } from "./rules/added-rule.ts";
import { allRules } from "./rules/all-rules.ts";
import type { TableRule } from "./rules/table-rule.ts";
import type { ToolRuleChecks } from "./rules/tool-rules.ts";
import { type FindUrlFault, findWebhookUrlFault } from "./rules/find-webhook-url-fault.ts";
import { readWrittenRows } from "./written-rows.ts";

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
