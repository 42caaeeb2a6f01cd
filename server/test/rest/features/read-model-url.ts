import type { Branch, Condition, Node } from "./read-model-node.ts";

/** The read as a client would write it. */
export function targetOf(node: Node): string {
  const parameters = [["select", selectOf(node)], ...parametersOf(node, "")];
  return `/${node.relation}?${parameters.map(([key, value]) => `${key}=${encodeURIComponent(value ?? "")}`).join("&")}`;
}

function selectOf({ columns, branches }: Node): string {
  const own = columns.map(({ name, column }) => `${name}:${column}`);
  return [...own, ...branches.map(embedOf)].join(",");
}

function embedOf({ alias, isSpread, isInner, node }: Branch): string {
  return `${isSpread ? "..." : `${alias}:`}${node.relation}${isInner ? "!inner" : ""}(${selectOf(node)})`;
}

function parametersOf(node: Node, path: string): [string, string][] {
  const { conditions, order, limit, offset, branches } = node;
  const terms = order.map(({ column, branch, isDescending, areNullsFirst }) => {
    const by = branch === null ? column : `${branches[branch]?.alias}(${column})`;
    const nulls = areNullsFirst === null ? "" : areNullsFirst ? ".nullsfirst" : ".nullslast";
    return `${by}${isDescending ? ".desc" : ".asc"}${nulls}`;
  });
  return [
    ...conditions.map((condition) => conditionOf(condition, node, path)),
    [`${path}order`, terms.join(",")],
    ...(limit === null ? [] : [[`${path}limit`, String(limit)] as [string, string]]),
    ...(offset === null ? [] : [[`${path}offset`, String(offset)] as [string, string]]),
    ...branches.flatMap((branch) => parametersOf(branch.node, `${path}${branch.alias}.`)),
  ];
}

function conditionOf(condition: Condition, node: Node, path: string): [string, string] {
  if (condition.kind === "logic") {
    const not = condition.isNegated ? "not." : "";
    return [`${path}${not}${condition.operator}`, `(${condition.parts.map((part) => termOf(part, node)).join(",")})`];
  }
  const { name, operation } = plainOf(condition, node);
  return [`${path}${name}`, operation];
}

function termOf(condition: Condition, node: Node): string {
  if (condition.kind === "logic") {
    const parts = condition.parts.map((part) => termOf(part, node)).join(",");
    return `${condition.isNegated ? "not." : ""}${condition.operator}(${parts})`;
  }
  const { name, operation } = plainOf(condition, node);
  return `${name}.${operation}`;
}

function plainOf(
  condition: Exclude<Condition, { kind: "logic" }>,
  node: Node,
): { readonly name: string; readonly operation: string } {
  const not = condition.isNegated ? "not." : "";
  if (condition.kind === "presence") {
    return { name: node.branches[condition.branch]?.alias ?? "", operation: `${not}is.null` };
  }
  const { column, operator, value } = condition;
  const other = typeof value === "string" ? "One" : 2;
  const operand = operator === "is" ? "null" : operator === "in" ? `(${value},${other})` : value;
  return { name: column, operation: `${not}${operator}.${operand}` };
}
