import { isState, OPERATORS } from "../../operators/index.ts";
import type { Condition, EmbedItem, FilterCondition } from "../parse/parsed-request.ts";
import { findBranch } from "./embed-tree.ts";
import type { Placeholders } from "./parameterise-request.ts";
import type { Embed, Predicate } from "./plan.ts";
import { planExpression, type Rows } from "./plan-expression.ts";

/** An embed that conditions and order terms can refer to. */
export interface NamedEmbed {
  readonly item: EmbedItem;
  readonly embed: Embed;
}

interface ConditionScope {
  readonly rows: Rows;
  readonly placeholders: Placeholders;
  /** Absent for filters of a write. */
  readonly embeds?: readonly NamedEmbed[];
}

/** All conditions must hold. A condition is about the presence of an embed's rows or about a field. */
export function planConditions(conditions: readonly Condition[], scope: ConditionScope): readonly Predicate[] {
  return conditions.map((condition) => planCondition(condition, scope));
}

/** Selects rows for which the embed has at least one row. */
export function planPresence(embed: Embed, isNegated = false): Predicate {
  return { kind: "exists", isNegated, embed: hideOutputs(embed) };
}

export function hideOutputs({ relationship, isToOne, node }: Embed): Embed {
  return { relationship, isToOne, node: { ...node, outputs: [], order: [], isAggregated: false } };
}

function planCondition(condition: Condition, scope: ConditionScope): Predicate {
  if (condition.kind === "filter") return planPresenceFilter(condition, scope) ?? planFilter(condition, scope);
  const { kind, operator, isNegated, conditions } = condition;
  return { kind, operator, isNegated, operands: planConditions(conditions, scope) };
}

function planPresenceFilter({ field, operation }: FilterCondition, scope: ConditionScope): Predicate | null {
  const { operator, value, isNegated } = operation;
  if (operator !== "is" || field.path.length > 0 || (value !== "null" && value !== "not_null")) return null;
  const named = findBranch(scope.embeds ?? [], field.name);
  if (named === null) return null;
  // When the embed has an alias, a column with the relation's name is the column.
  const isKey = (named.item.alias ?? named.item.relation) === field.name;
  if (!isKey && scope.rows.columns?.has(field.name) === true) return null;
  return planPresence(named.embed, (value === "null") !== isNegated);
}

function planFilter({ field, operation }: FilterCondition, { rows, placeholders }: ConditionScope): Predicate {
  const left = planExpression(field, rows);
  const { operator, isNegated, quantifier, value } = operation;
  switch (OPERATORS[operator].operand) {
    case "state":
      return { kind: "is", left, isNegated, state: typeof value === "string" && isState(value) ? value : "null" };
    case "search":
      return {
        kind: "search",
        left,
        operator,
        isNegated,
        config: operation.config === null ? null : placeholders.config(operation),
        right: placeholders.operand(operation),
        isVector: left.path.length === 0 && left.of.type?.category === "tsvector",
      };
    case "value":
    case "pattern":
    case "regex":
    case "list":
      return { kind: "compare", left, operator, isNegated, quantifier, right: placeholders.operand(operation) };
  }
}
