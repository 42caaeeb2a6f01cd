import type { Embed, Expression, Predicate, ReadNode } from "../plan/plan.ts";
import { quoteIdentifier } from "./quote.ts";

/** The columns that a node reads of its rows; null: all, because whole rows are returned or passed to a function. */
export type NeededColumns = ReadonlySet<string> | null;

export function findNeededColumns({ outputs, where, order }: ReadNode): NeededColumns {
  const needs = [
    ...outputs.flatMap((output) => {
      switch (output.kind) {
        case "star":
          return [null];
        case "value":
        case "aggregate":
          return output.value === null ? [] : needsOfValue(output.value);
        case "embed":
        case "spread":
          return needsOfEmbed(output.embed);
      }
    }),
    ...where.flatMap(needsOfPredicate),
    ...order.flatMap(({ by }) => {
      switch (by.kind) {
        case "own":
          return needsOfValue(by.value);
        case "related":
          return needsOfEmbed(by.embed);
        case "output":
          return [];
      }
    }),
  ];
  const named = needs.filter((name) => name !== null);
  return named.length === needs.length ? new Set(named) : null;
}

/** The needed columns of rows with a (quoted) name. */
export function renderNeeded(needed: NeededColumns, name: string): string {
  return needed === null ? `${name}.*` : [...needed].map((column) => `${name}.${quoteIdentifier(column)}`).join(",");
}

function needsOfValue({ of }: Expression): readonly (string | null)[] {
  switch (of.kind) {
    case "column":
      return [of.name];
    case "computed":
    case "scalar":
      return [null];
  }
}

function needsOfEmbed({ relationship }: Embed): readonly (string | null)[] {
  switch (relationship.kind) {
    case "computed":
      return [null];
    case "many-to-many":
      return relationship.junction.sourceColumns.map(([own]) => own);
    case "many-to-one":
    case "one-to-one":
    case "one-to-many":
      return relationship.columns.map(([own]) => own);
  }
}

function needsOfPredicate(predicate: Predicate): readonly (string | null)[] {
  switch (predicate.kind) {
    case "compare":
    case "is":
    case "search":
      return needsOfValue(predicate.left);
    case "logic":
      return predicate.parts.flatMap(needsOfPredicate);
    case "exists":
      return needsOfEmbed(predicate.embed);
  }
}
