import { isOperator, type OperandKind, OPERATORS, type Operator } from "../../server/src/operators/index.ts";

const HEAD = `<!-- Generated from server/src/operators by \`npm run generate -- reference\`. Do not edit by hand. -->

# Operators of filters

This page is for developers who filter rows or subscriptions. It lists every operator with its operand and its SQL.

A filter is \`column=operator.operand\`, for rows that a [REST request](rest.md#filters) addresses and for changes that a
[realtime subscription](../guides/realtime.md#row-changes) delivers. An operator selects the same rows in both. \`not.\` before an
operator is SQL's NOT: a comparison with null stays unknown and selects nothing. \`any/all\` marks the operators that REST also
accepts as \`eq(any).{a,b}\` and \`eq(all).{a,b}\`.

| operator | meaning | operand | SQL | any/all | realtime |
|---|---|---|---|---|---|
`;

const OPERANDS: Readonly<Record<OperandKind, string>> = {
  value: "a value",
  pattern: "a `LIKE` pattern",
  regex: "a regular expression",
  list: "a list",
  state: "a state",
  search: "a text search query",
};

/** The whole of docs/reference/operators.md. */
export function renderOperatorsReference(): string {
  return HEAD + Object.keys(OPERATORS).filter(isOperator).map(renderRow).join("");
}

function renderRow(operator: Operator): string {
  const { sql, operand, isQuantifiable, realtime, description } = OPERATORS[operator];
  const cells = [`\`${operator}\``, description, OPERANDS[operand], renderSql(sql, operand)];
  return `| ${[...cells, yes(isQuantifiable), yes(realtime !== null)].join(" | ")} |\n`;
}

function renderSql(sql: string, operand: OperandKind): string {
  const text = operand === "search" ? `@@ ${sql}` : operand === "list" ? `${sql} any` : sql;
  return `\`${text.replaceAll("|", "\\|")}\``;
}

function yes(holds: boolean): string {
  return holds ? "yes" : "";
}
