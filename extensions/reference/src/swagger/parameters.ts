import type { Relation } from "swarmbase/extension";
import { referTo, type SwaggerParameter } from "./swagger.ts";

const RETURN = ["return=representation", "return=minimal", "return=headers-only"];
const RESOLUTION = ["resolution=ignore-duplicates", "resolution=merge-duplicates"];
const MISSING = ["missing=default", "missing=null"];
const COUNT = ["count=exact", "count=planned", "count=estimated"];
const WINDOW = "Limiting and Pagination";

const SHARED: Readonly<Record<string, SwaggerParameter>> = {
  preferParams: prefer([]),
  preferReturn: prefer(RETURN),
  preferCount: prefer(COUNT),
  preferPost: prefer([...RETURN, ...RESOLUTION, ...MISSING]),
  select: text("query", "select", "Filtering Columns"),
  on_conflict: text("query", "on_conflict", "On Conflict"),
  order: text("query", "order", "Ordering"),
  range: text("header", "Range", WINDOW),
  rangeUnit: { ...text("header", "Range-Unit", WINDOW), default: "items" },
  offset: text("query", "offset", WINDOW),
  limit: text("query", "limit", WINDOW),
};

/** The shared parameters: those of the query language, and for each relation its body and a filter per column. */
export function describeParameters(relations: readonly Relation[]): Record<string, SwaggerParameter> {
  const own = relations.flatMap((relation): [string, SwaggerParameter][] => [
    [bodyName(relation), bodyOf(relation)],
    ...[...relation.columns.values()].map(({ name, comment }): [string, SwaggerParameter] => [
      filterName(relation, name),
      {
        name,
        ...(comment !== null && { description: comment }),
        required: false,
        in: "query",
        type: "string",
      },
    ]),
  ]);
  return Object.fromEntries([...Object.entries(SHARED), ...own]);
}

export function bodyName({ name }: Relation): string {
  return `body.${name}`;
}

export function filterName(relation: Relation, column: string): string {
  return `rowFilter.${relation.name}.${column}`;
}

function bodyOf({ name }: Relation): SwaggerParameter {
  return { name, description: name, required: false, in: "body", schema: referTo("definitions", name) };
}

function prefer(values: readonly string[]): SwaggerParameter {
  const parameter = text("header", "Prefer", "Preference");
  return values.length === 0 ? parameter : { ...parameter, enum: values };
}

function text(where: "query" | "header", name: string, description: string): SwaggerParameter {
  return { name, description, required: false, in: where, type: "string" };
}
