import { IS_STATES, type Operator, OPERATORS, renderOperation } from "../../operators/index.ts";
import type { QualifiedName } from "../catalogue/catalogue.ts";
import type { Expression, Predicate } from "../plan/plan.ts";
import type { Draft, RowScope } from "./draft.ts";
import { quoteName } from "./quote.ts";
import { renderCompared, renderOperand } from "./render-expression.ts";

type Compare = Predicate & { kind: "compare" };

/** The `where` clause; empty without conditions. */
export function renderWhere(
  draft: Draft,
  { joins, where }: { readonly joins: readonly string[]; readonly where: readonly Predicate[] },
  scope: RowScope,
): string {
  const conditions = [...joins, ...where.map((predicate) => renderPredicate(draft, predicate, scope))];
  return conditions.length === 0 ? "" : ` where ${conditions.join(" and ")}`;
}

/** Needs no parentheses beside `and` and `or`. */
function renderPredicate(draft: Draft, predicate: Predicate, scope: RowScope): string {
  const condition = renderCondition(draft, predicate, scope);
  return predicate.isNegated ? `not (${condition})` : condition;
}

function renderCondition(draft: Draft, predicate: Predicate, scope: RowScope): string {
  switch (predicate.kind) {
    case "compare":
      return renderCompare(draft, predicate, scope);
    case "is":
      return renderOperation("is", null, {
        left: renderOperand(predicate.left, scope),
        right: IS_STATES[predicate.state],
      });
    case "search":
      return renderSearch(draft, predicate, scope);
    case "logic":
      return renderLogic(draft, predicate, scope);
    case "exists":
      return draft.renderExists(draft, predicate.embed, scope);
  }
}

function renderCompare(draft: Draft, { left, operator, quantifier, right }: Compare, scope: RowScope): string {
  const isArray = quantifier !== null || OPERATORS[operator].operand === "list";
  const list = isArray ? "[]" : "";
  const operand = renderRepresented(draft.parameter(right), left, { list, operator });
  return renderOperation(operator, quantifier, { left: renderCompared(left, scope), right: operand });
}

/** The text of a domain with a representation is read by the function of its cast, except for patterns. */
function renderRepresented(
  operand: string,
  left: Expression,
  { list, operator }: { readonly list: "" | "[]"; readonly operator: Operator },
): string {
  const { operand: kind } = OPERATORS[operator];
  const isValue = left.path.length === 0 && (kind === "value" || kind === "list");
  const reader = isValue ? (left.of.type?.representation?.fromText ?? null) : null;
  if (reader === null) return renderRows(operand, left, list);
  if (list === "") return renderRead(reader, operand);
  return `array(select ${quoteName(reader)}(_.v) from pg_catalog.unnest(${operand}::text[]) _(v))`;
}

/** A value of a domain, from its text. */
export function renderRead(reader: QualifiedName, text: string): string {
  return `${quoteName(reader)}(${text}::text)`;
}

/** PostgreSQL does not infer the type of a parameter that is compared with a row. */
function renderRows(operand: string, { of, path }: Expression, list: "" | "[]"): string {
  const isRow = path.length === 0 && of.type?.category === "composite" && of.type.rowOf !== null;
  return isRow ? `${operand}::${of.type.name}${list}` : operand;
}

function renderSearch(draft: Draft, predicate: Predicate & { kind: "search" }, scope: RowScope): string {
  const { config, isVector, left, right } = predicate;
  const value = renderOperand(left, scope);
  const withConfig = (text: string): string =>
    config === null ? text : `${draft.parameter(config)}::pg_catalog.regconfig,${text}`;
  const vector = isVector ? value : `pg_catalog.to_tsvector(${withConfig(value)})`;
  return `${vector} @@ pg_catalog.${OPERATORS[predicate.operator].sql}(${withConfig(draft.parameter(right))})`;
}

function renderLogic(draft: Draft, { operator, operands }: Predicate & { kind: "logic" }, scope: RowScope): string {
  if (operands.length === 0) return operator === "and" ? "true" : "false";
  return `(${operands.map((operand) => renderPredicate(draft, operand, scope)).join(` ${operator} `)})`;
}
