import fc from "fast-check";
import { columnsOf, RELATIONS, type RelationName } from "./read-model-world.ts";

export type Condition =
  | {
      readonly kind: "filter";
      readonly isNegated: boolean;
      readonly column: string;
      readonly operator: "eq" | "neq" | "gt" | "lte" | "in" | "is" | "isdistinct";
      readonly value: string | number;
    }
  /** Holds where the branch, by its place, has no row. */
  | { readonly kind: "presence"; readonly isNegated: boolean; readonly branch: number }
  | {
      readonly kind: "logic";
      readonly isNegated: boolean;
      readonly operator: "and" | "or";
      readonly parts: readonly Condition[];
    };

interface OrderTerm {
  readonly column: string;
  /** Of a branch that is one row, by its place; null: of the node's own rows. */
  readonly branch: number | null;
  readonly isDescending: boolean;
  readonly areNullsFirst: boolean | null;
}

export interface Node {
  readonly relation: RelationName;
  readonly columns: readonly { readonly name: string; readonly column: string }[];
  readonly conditions: readonly Condition[];
  /** Ends with the key, so that one order is right. */
  readonly order: readonly OrderTerm[];
  readonly limit: number | null;
  readonly offset: number | null;
  readonly branches: readonly Branch[];
}

export interface Branch {
  readonly from: RelationName;
  readonly alias: string;
  readonly isInner: boolean;
  readonly isSpread: boolean;
  /** It filters and shows nothing. */
  readonly isEmpty: boolean;
  readonly node: Node;
}

const VALUES: readonly (string | number)[] = ["One", "Two", "Acme", 1, 2, 3];

/** Any read of the model, with unique names for all that is shown. */
export const anyNode: fc.Arbitrary<Node> = fc
  .constantFrom(...(Object.keys(RELATIONS) as RelationName[]))
  .chain((relation) => nodeOf(relation, 3))
  .map((node) => rename(node, { next: 0 }, false));

function nodeOf(relation: RelationName, depth: number): fc.Arbitrary<Node> {
  const targets = Object.keys(RELATIONS[relation].targets) as RelationName[];
  const branches =
    depth === 0
      ? fc.constant([])
      : fc.array(
          fc.constantFrom(...targets).chain((to) => branchOf(relation, to, depth)),
          { maxLength: 2 },
        );
  return branches.chain((found) =>
    fc.record({
      relation: fc.constant(relation),
      columns: fc
        .subarray(columnsOf(relation), { minLength: 1 })
        .map((names) => names.map((column) => ({ name: column, column }))),
      conditions: fc.array(conditionOf(relation, found.length, 2), { maxLength: 2 }),
      order: orderOf(relation, found),
      limit: fc.option(fc.integer({ min: 0, max: 3 }), { freq: 1 }),
      offset: fc.option(fc.integer({ min: 0, max: 2 }), { freq: 1 }),
      branches: fc.constant(found),
    }),
  );
}

function branchOf(from: RelationName, to: RelationName, depth: number): fc.Arbitrary<Branch> {
  return fc.record({
    from: fc.constant(from),
    alias: fc.constant(""),
    isInner: fc.boolean(),
    isSpread: fc.boolean(),
    isEmpty: fc.integer({ min: 0, max: 4 }).map((dice) => dice === 0),
    node: nodeOf(to, depth - 1),
  });
}

function conditionOf(relation: RelationName, branchCount: number, depth: number): fc.Arbitrary<Condition> {
  const isNegated = fc.boolean();
  const filter: fc.Arbitrary<Condition> = fc.constantFrom(...columnsOf(relation)).chain((column) =>
    fc.record({
      kind: fc.constant("filter"),
      isNegated,
      column: fc.constant(column),
      operator: fc.constantFrom("eq", "neq", "gt", "lte", "in", "is", "isdistinct"),
      value: fc.constantFrom(...VALUES.filter((value) => (typeof value === "string") === (column === "name"))),
    }),
  );
  const choices = [filter];
  if (branchCount > 0) {
    const branch = fc.integer({ min: 0, max: branchCount - 1 });
    choices.push(fc.record({ kind: fc.constant("presence"), isNegated, branch }));
  }
  if (depth > 0) {
    const parts = fc.array(conditionOf(relation, branchCount, depth - 1), { minLength: 1, maxLength: 3 });
    choices.push(fc.record({ kind: fc.constant("logic"), isNegated, operator: fc.constantFrom("and", "or"), parts }));
  }
  return fc.oneof(...choices);
}

function orderOf(relation: RelationName, branches: readonly Branch[]): fc.Arbitrary<OrderTerm[]> {
  const places = branches.flatMap(({ node }, at) => (RELATIONS[relation].targets[node.relation]?.isToOne ? [at] : []));
  const term = fc.constantFrom(null, ...places).chain((branch) =>
    fc.record({
      column: fc.constantFrom(...columnsOf(branch === null ? relation : (branches[branch]?.node.relation ?? relation))),
      branch: fc.constant(branch),
      isDescending: fc.boolean(),
      areNullsFirst: fc.option(fc.boolean()),
    }),
  );
  const key = RELATIONS[relation].key.map((column) => ({
    column,
    branch: null,
    isDescending: false,
    areNullsFirst: null,
  }));
  return fc.array(term, { maxLength: 2 }).map((terms) => [...terms, ...key]);
}

/** No two things that are shown share a key, and of two spreads of one relation the second is none. */
function rename(node: Node, names: { next: number }, isHidden: boolean): Node {
  const spread = new Set<string>();
  return {
    ...node,
    columns: isHidden ? [] : node.columns.map(({ column }) => ({ name: `c${names.next++}`, column })),
    branches: node.branches.map((branch) => {
      const isEmpty = isHidden || branch.isEmpty;
      const isSpread = branch.isSpread && !isEmpty && !spread.has(branch.node.relation);
      if (isSpread) spread.add(branch.node.relation);
      const alias = isSpread ? branch.node.relation : `e${names.next++}`;
      return { ...branch, isEmpty, isSpread, alias, node: rename(branch.node, names, isEmpty) };
    }),
  };
}
