import type { Column, Link, Relation } from "swarmbase/extension";
import { describeDefault, describeType } from "./describe-type.ts";
import type { SwaggerSchema } from "./swagger.ts";

/** A relation as an object schema for type generators. `links` are its foreign keys. */
export function describeRelation(relation: Relation, links: readonly Link[]): SwaggerSchema {
  const columns = [...relation.columns.values()];
  const required = columns.filter(({ isNullable }) => !isNullable).map(({ name }) => name);
  return {
    ...(relation.comment !== null && { description: relation.comment }),
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(columns.map((column) => [column.name, describeColumn(column, relation, links)])),
    type: "object",
  };
}

function describeColumn(column: Column, relation: Relation, links: readonly Link[]): SwaggerSchema {
  const description = describeKeys(column, relation, links);
  const fallback = describeDefault(column);
  return {
    ...describeType(column.type),
    ...(fallback !== null && { default: fallback.value }),
    ...(column.maxLength !== null && { maxLength: column.maxLength }),
    ...(description !== null && { description }),
  };
}

/** The comment and the notes on keys that type generators parse. */
function describeKeys({ name, comment }: Column, { primaryKey }: Relation, links: readonly Link[]): string | null {
  const notes: string[] = [];
  if (primaryKey.includes(name)) notes.push("This is a Primary Key.<pk/>");
  const foreign = findForeign(name, links);
  if (foreign !== null) {
    const { table, column } = foreign;
    notes.push(`This is a Foreign Key to \`${table}.${column}\`.<fk table='${table}' column='${column}'/>`);
  }
  if (notes.length === 0) return comment;
  return `${comment === null ? "" : `${comment}\n\n`}Note:\n${notes.join("\n")}`;
}

/** Only single-column keys are noted; a table is preferred to a view of it. */
function findForeign(name: string, links: readonly Link[]): { table: string; column: string } | null {
  const own = links.filter(({ columns }) => columns.length === 1 && columns[0]?.[0] === name);
  const link = own.find(({ isTargetView }) => !isTargetView) ?? own[0];
  const column = link?.columns[0]?.[1];
  return link === undefined || column === undefined ? null : { table: link.target.name, column };
}
