import type { QualifiedName, Relation } from "../catalogue/catalogue.ts";
import type { Relationship } from "../catalogue/relationships.ts";
import type { NodeModifiers, ParsedQuery, ParsedRequest } from "../parse/parsed-request.ts";
import { restError } from "../rest-error.ts";
import { type Branch, buildEmbedTree, type TreeNode } from "./embed-tree.ts";
import { getRelation } from "./get-relation.ts";
import type { Placeholders } from "./parameterise-request.ts";
import { planConditions, planPresence } from "./plan-conditions.ts";
import type { PlanContext } from "./plan-context.ts";
import { planExpression, type Rows } from "./plan-expression.ts";
import { planOrder } from "./plan-order.ts";
import { hasAggregate, outputNames, planOutputs } from "./plan-outputs.ts";
import type { AnswerPlan, Embed, Output, Placeholder, ReadNode, ReadPlan, Source } from "./plan.ts";

const UNKNOWN_COLUMNS: readonly string[] = ["*"];

/** The source of the root's rows. Written rows have been filtered already. */
interface NodeSource extends Rows {
  readonly source: Source;
  /** The name of the rows in messages when they belong to no relation. */
  readonly name?: QualifiedName;
}

interface NodeFrame {
  readonly source: Source;
  readonly name: string;
  readonly placeholders: Placeholders;
  readonly isSpread: boolean;
  readonly hasWindow: boolean;
  /** A function takes the whole rows. */
  readonly areUnrepresented?: boolean;
}

const NAMELESS: QualifiedName = { schema: "", name: "record" };

/** Plans a GET or HEAD of a relation. */
export function planRead(request: ParsedRequest, relation: QualifiedName, context: PlanContext): ReadPlan {
  const found = getRelation(context.catalogue, relation);
  const { schema, name, columns } = found;
  const source = { kind: "relation", relation: { schema, name } } as const;
  const root = planNode(request.query, { source, relation: found, columns }, context);
  // At most one row is possible.
  const isCapped = context.isCapped && !isPinned(found, root);
  return {
    kind: "read",
    root: isCapped ? { ...root, isCapped } : root,
    answer: {
      body: context.media.body,
      count: decideCount(request, context),
      mustBeSingle: false,
      maxAffected: null,
      isCapped,
    },
  };
}

/** The planner's estimates also tell about rows that the caller cannot see. */
export function decideCount(
  { preferences }: ParsedRequest,
  { isCountCapped = false }: PlanContext,
): AnswerPlan["count"] {
  const { count } = preferences;
  return isCountCapped && (count === "planned" || count === "estimated") ? "capped" : count;
}

/** Whether filters fix every column of the primary key. */
function isPinned({ primaryKey, isView }: Relation, { where }: ReadNode): boolean {
  const isNamed = (column: string): boolean =>
    where.some(
      (predicate) =>
        predicate.kind === "compare" &&
        predicate.operator === "eq" &&
        !predicate.isNegated &&
        predicate.quantifier === null &&
        predicate.left.path.length === 0 &&
        predicate.left.of.kind === "column" &&
        predicate.left.of.name === column,
    );
  return !isView && primaryKey.length > 0 && primaryKey.every(isNamed);
}

/** Plans the tree of nodes from the root down. */
export function planNode(query: ParsedQuery, from: NodeSource, context: PlanContext): ReadNode {
  const { catalogue, placeholders, media } = context;
  const { source, relation, columns } = from;
  const name = from.name ?? relation ?? NAMELESS;
  const tree = buildEmbedTree(query, { rows: { relation, columns }, name }, catalogue);
  const hasWindow = source.kind !== "written";
  const areUnrepresented = media.body.kind === "handler" && media.body.handler.target !== null;
  return planTree(tree, { source, name: name.name, placeholders, isSpread: false, hasWindow, areUnrepresented });
}

function planTree({ rows, select, modifiers, branches }: TreeNode, frame: NodeFrame): ReadNode {
  const { source, name, placeholders, isSpread } = frame;
  const embeds = branches.map((branch) => ({
    item: branch.item,
    rows: branch.node.rows,
    embed: planBranch(branch, placeholders),
  }));
  const scope = { rows, embeds, areUnrepresented: true };
  const isAggregated = hasAggregate(planOutputs(select, { ...scope, areNamed: false }));
  const planned = planOutputs(select, {
    ...scope,
    areNamed: isSpread || isAggregated,
    areUnrepresented: isAggregated || frame.areUnrepresented === true,
  });
  // Groups depend on all outputs, so their rendering leaves out repeated keys.
  const outputs = isAggregated ? planned : keepUnique(planned, rows);

  const conditions = source.kind === "written" ? [] : modifiers.flatMap((modifiers) => modifiers.conditions);
  const inner = embeds.filter(({ item }) => item.join === "inner").map(({ embed }) => planPresence(embed));
  const terms = modifiers.flatMap(({ order }) => order);
  return {
    source,
    outputs,
    where: [...planConditions(conditions, { rows, placeholders, embeds }), ...inner],
    order: planOrder(terms, { rows, name, embeds, outputs, isAggregated }),
    limit: frame.hasWindow ? firstPlaceholder(modifiers, (modifiers) => placeholders.limit(modifiers)) : null,
    offset: frame.hasWindow ? firstPlaceholder(modifiers, (modifiers) => placeholders.offset(modifiers)) : null,
    isAggregated,
  };
}

function planBranch({ item, relationship, node }: Branch, placeholders: Placeholders): Embed {
  const { isToOne } = relationship;
  const planned = planTree(node, {
    source: sourceOf(relationship),
    name: relationship.target.name,
    placeholders,
    isSpread: item.isSpread,
    // There is at most one row, so a window has no meaning.
    hasWindow: !isToOne,
  });
  if (item.isSpread && !isToOne && planned.isAggregated) {
    throw restError("PGRST127", "Feature not implemented", {
      details: "Aggregates are not implemented for one-to-many or many-to-many spreads.",
    });
  }
  return { relationship, isToOne, node: isToOne || planned.limit !== null ? planned : { ...planned, isCapped: true } };
}

function sourceOf(relationship: Relationship): Source {
  return relationship.kind === "computed"
    ? { kind: "computed", function: relationship.function }
    : { kind: "relation", relation: relationship.target };
}

function firstPlaceholder(
  modifiers: readonly NodeModifiers[],
  placeholderOf: (modifiers: NodeModifiers) => Placeholder | null,
): Placeholder | null {
  return modifiers.map(placeholderOf).find((placeholder) => placeholder !== null) ?? null;
}

/**
 * Keeps one output for each key: the one that a JSON parser would keep of PostgREST's answer, where keys can repeat. That is the
 * last one, and embeds and spreads follow all columns there.
 */
function keepUnique(outputs: readonly Output[], rows: Rows): readonly Output[] {
  const names = outputNames(outputs, () => starNames(rows));
  if (new Set(names).size === names.length) return outputs;
  const taken = new Set<string>();
  const kept: (readonly Output[])[] = outputs.map(() => []);
  const places = outputs.map((output, place) => ({ output, place }));
  const sorted = places.toSorted((one, other) => Number(isRelated(one.output)) - Number(isRelated(other.output)));
  for (const { output, place } of sorted.reverse()) kept[place] = takeOutput(output, rows, taken);
  return kept.flat();
}

function isRelated({ kind }: Output): boolean {
  return kind === "embed" || kind === "spread";
}

/** What is left of an output without the keys that are taken. Its keys are taken then. */
function takeOutput(output: Output, rows: Rows, taken: Set<string>): readonly Output[] {
  switch (output.kind) {
    case "star": {
      const names = starNames(rows);
      const free = takeNames(names, taken);
      if (free.length === names.length) return [output];
      return free.map((name) => ({ kind: "value", name, value: planExpression({ name, path: [] }, rows) }));
    }
    case "spread": {
      const { embed } = output;
      // Known columns of a spread are listed already.
      const free = embed.node.outputs.flatMap((inner) =>
        inner.kind === "star" ? [inner] : takeOutput(inner, rows, taken),
      );
      return free.length === 0 ? [] : [{ ...output, embed: { ...embed, node: { ...embed.node, outputs: free } } }];
    }
    default:
      return takeNames([output.name], taken).length === 0 ? [] : [output];
  }
}

function takeNames(names: readonly string[], taken: Set<string>): readonly string[] {
  const free = names.filter((name) => !taken.has(name));
  for (const name of free) taken.add(name);
  return free;
}

function starNames({ columns }: Rows): readonly string[] {
  return columns === null ? UNKNOWN_COLUMNS : [...columns.keys()];
}
