import type { AppError } from "../../errors/index.ts";
import type { FieldPath, JsonStep, OrderTerm } from "../parse/parsed-request.ts";
import { foreignError, restError } from "../rest-error.ts";
import { findBranch, notEmbeddedError } from "./embed-tree.ts";
import type { OrderBy, Output } from "./plan.ts";
import { hideOutputs, type NamedEmbed } from "./plan-conditions.ts";
import { planExpression, type Rows } from "./plan-expression.ts";
import { outputNames } from "./plan-outputs.ts";

interface OrderScope {
  readonly rows: Rows;
  /** The name of the rows in messages. */
  readonly name: string;
  readonly embeds: readonly RelatedEmbed[];
  readonly outputs: readonly Output[];
  readonly isAggregated: boolean;
}

interface RelatedEmbed extends NamedEmbed {
  readonly rows: Rows;
}

type ValueOutput = Extract<Output, { readonly kind: "value" }>;

export function planOrder(terms: readonly OrderTerm[], scope: OrderScope): readonly OrderBy[] {
  return terms.map((term) => ({ by: planTerm(term, scope), direction: term.direction, nulls: term.nulls }));
}

function planTerm({ relation, field }: OrderTerm, scope: OrderScope): OrderBy["by"] {
  if (relation !== null) return planRelated(relation, field, scope);
  const value = planExpression(field, scope.rows);
  if (!scope.isAggregated || findShown(field, scope.outputs) !== null) return { kind: "own", value };
  if (isNamed(field, scope.outputs)) return { kind: "output", name: field.name };
  // The database reports an unknown column better.
  if (value.of.type !== null) throw ungroupedError(scope.name, field);
  return { kind: "own", value };
}

function planRelated(relation: string, field: FieldPath, scope: OrderScope): OrderBy["by"] {
  const related = findBranch(scope.embeds, relation);
  if (related === null) throw notEmbeddedError(relation);
  const { isToOne, node } = related.embed;
  if (!isToOne) throw relatedOrderError(scope.name, relation);
  const shown = findShown(field, node.outputs) ?? findRenamed(field, related);
  if (scope.isAggregated) {
    if (related.item.isSpread && shown !== null) return { kind: "output", name: shown.name };
    const isGrouped = !related.item.isSpread && (shown !== null || node.outputs.some(({ kind }) => kind === "star"));
    if (!isGrouped) throw ungroupedError(relation, field);
  }
  const value = shown?.value ?? planExpression(field, related.rows);
  return { kind: "related", embed: hideOutputs(related.embed), value };
}

/** An aliased output of the embed can be ordered by its alias, unless a column has that name. */
function findRenamed({ name, path }: FieldPath, { rows, embed }: RelatedEmbed): ValueOutput | null {
  if (path.length > 0 || rows.columns?.has(name) === true) return null;
  const shown = embed.node.outputs.filter((output) => output.kind === "value");
  return shown.find((output) => output.name === name) ?? null;
}

function isNamed({ name, path }: FieldPath, outputs: readonly Output[]): boolean {
  return path.length === 0 && outputNames(outputs).includes(name);
}

/** It is an output without an aggregate, so each group has one value of it. */
function findShown({ name, path }: FieldPath, outputs: readonly Output[]): ValueOutput | null {
  const shown = outputs.filter((output) => output.kind === "value");
  return (
    shown.find(({ value: { of, path: shownPath, cast } }) => {
      const isSame = of.kind === "column" ? of.name === name : of.kind === "computed" && of.function.name === name;
      return isSame && cast === null && isSamePath(path, shownPath);
    }) ?? null
  );
}

function isSamePath(one: readonly JsonStep[], other: readonly JsonStep[]): boolean {
  return (
    one.length === other.length &&
    one.every(({ kind, key }, index) => kind === other[index]?.kind && key === other[index].key)
  );
}

function relatedOrderError(name: string, relation: string): AppError {
  return restError("PGRST118", `A related order on '${relation}' is not possible`, {
    details: `'${name}' and '${relation}' do not form a many-to-one or one-to-one relationship`,
  });
}

/** A group has no single value to order by. */
function ungroupedError(relation: string, { name }: FieldPath): AppError {
  const message = `column "${relation}.${name}" must appear in the GROUP BY clause or be used in an aggregate function`;
  return foreignError({ code: "42803", status: 400 }, message, {
    hint: "Rows with aggregates can be ordered by what is selected beside them, and by the aggregates' own names.",
  });
}
