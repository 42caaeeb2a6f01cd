import type { Branch, Condition, Node } from "./read-model-node.ts";
import { type Cell, RELATIONS, type Row, type Target } from "./read-model-world.ts";

type Truth = boolean | null;

/** The expected response of a read, computed row by row. */
export function answerOf(node: Node): Row[] {
  return windowed(node, matching(node, RELATIONS[node.relation].rows)).map((row) => project(node, row));
}

function matching(node: Node, rows: readonly Row[]): Row[] {
  const kept = rows.filter(
    (row) =>
      node.conditions.every((condition) => isTrue(condition, node, row) === true) &&
      node.branches.every((branch) => !branch.isInner || isPresent(branch, row)),
  );
  return kept.toSorted((one, other) => compareRows(node, one, other));
}

function windowed({ limit, offset }: Node, rows: readonly Row[]): Row[] {
  const from = offset ?? 0;
  return rows.slice(from, limit === null ? undefined : from + limit);
}

function related(branch: Branch, row: Row): Row[] {
  const rows = matching(branch.node, targetOf(branch).rowsOf(row));
  return targetOf(branch).isToOne ? rows : windowed(branch.node, rows);
}

function isPresent(branch: Branch, row: Row): boolean {
  return related(branch, row).length > 0;
}

function targetOf({ from, node }: Branch): Target {
  const target = RELATIONS[from].targets[node.relation];
  if (target === undefined) throw new Error(`${from} has no ${node.relation}`);
  return target;
}

function project(node: Node, row: Row): Row {
  const shown: Row = {};
  for (const { name, column } of node.columns) shown[name] = row[column] ?? null;
  for (const branch of node.branches) {
    if (branch.isEmpty) continue;
    const rows = related(branch, row).map((one) => project(branch.node, one));
    const { isToOne } = targetOf(branch);
    if (branch.isSpread) {
      for (const name of namesOf(branch.node)) {
        shown[name] = isToOne ? (rows[0]?.[name] ?? null) : rows.map((one) => one[name] ?? null);
      }
    } else {
      shown[branch.alias] = isToOne ? (rows[0] ?? null) : rows;
    }
  }
  return shown;
}

function namesOf({ columns, branches }: Node): string[] {
  const own = columns.map(({ name }) => name);
  const others = branches.filter(({ isEmpty }) => !isEmpty);
  return [...own, ...others.flatMap((branch) => (branch.isSpread ? namesOf(branch.node) : [branch.alias]))];
}

function isTrue(condition: Condition, node: Node, row: Row): Truth {
  const truth = evaluate(condition, node, row);
  return condition.isNegated && truth !== null ? !truth : truth;
}

function evaluate(condition: Condition, node: Node, row: Row): Truth {
  switch (condition.kind) {
    case "filter":
      return compare(cellOf(row, condition.column), condition);
    case "presence": {
      const branch = node.branches[condition.branch];
      return branch === undefined ? true : !isPresent(branch, row);
    }
    case "logic": {
      const parts = condition.parts.map((part) => isTrue(part, node, row));
      const decisive = condition.operator === "or";
      if (parts.includes(decisive)) return decisive;
      return parts.includes(null) ? null : !decisive;
    }
  }
}

function compare(cell: Cell, { operator, value }: Condition & { kind: "filter" }): Truth {
  if (operator === "is") return cell === null;
  if (operator === "isdistinct") return cell !== value;
  if (cell === null) return null;
  switch (operator) {
    case "eq":
      return cell === value;
    case "neq":
      return cell !== value;
    case "gt":
      return cell > value;
    case "lte":
      return cell <= value;
    case "in":
      return cell === value || cell === "One" || cell === 2;
  }
}

function cellOf(row: Row, column: string): Cell {
  const cell = row[column];
  return typeof cell === "string" || typeof cell === "number" ? cell : null;
}

function compareRows(node: Node, one: Row, other: Row): number {
  for (const term of node.order) {
    const keyOf = (row: Row): Cell => {
      if (term.branch === null) return cellOf(row, term.column);
      const branch = node.branches[term.branch];
      return branch === undefined ? null : cellOf(related(branch, row)[0] ?? {}, term.column);
    };
    const difference = compareCells(keyOf(one), keyOf(other), term);
    if (difference !== 0) return difference;
  }
  return 0;
}

function compareCells(one: Cell, other: Cell, { isDescending, areNullsFirst }: Node["order"][number]): number {
  if (one === other) return 0;
  if (one === null || other === null) return (one === null) === (areNullsFirst ?? isDescending) ? -1 : 1;
  return one < other === isDescending ? 1 : -1;
}
