import type { QualifiedName, Relation } from "../catalogue/catalogue.ts";
import type { Relationship } from "../catalogue/relationships.ts";
import type { NodeModifiers, ParsedQuery, ParsedRequest } from "../parse/parsed-request.ts";
import { restError } from "../rest-error.ts";
import { type Branch, buildEmbedTree, type TreeNode } from "./embed-tree.ts";
import { getRelation } from "./get-relation.ts";
import type { Placeholders } from "./parameterise-request.ts";
import type { AnswerPlan, Embed, ReadNode, ReadPlan, Placeholder, Source } from "./plan.ts";
import { planConditions, planPresence } from "./plan-conditions.ts";
import type { PlanContext } from "./plan-context.ts";
import type { Rows } from "./plan-expression.ts";
import { planOrder } from "./plan-order.ts";
import { hasAggregate, planOutputs } from "./plan-outputs.ts";
import { keepUnique } from "./keep-unique.ts";

/** The source of the root's rows. Written rows have been filtered already. */
export interface NodeSource extends Rows {
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
