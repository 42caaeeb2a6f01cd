import type { BuiltFunction } from "./build-functions.ts";
import type { ComputedField, ComputedRelationship } from "./catalogue.ts";
import type { RelationRow } from "./sql/select-catalogue.ts";

export interface ComputedMembers {
  readonly fields: ReadonlyMap<string, ComputedField>;
  readonly relationships: ReadonlyMap<string, ComputedRelationship>;
}

/**
 * Functions whose only parameter is a row of an exposed relation: those that return rows of an exposed relation are relationships,
 * those that return one value are fields. They belong to the schema of the relation.
 */
export function findComputed(
  functions: readonly BuiltFunction[],
  relations: readonly RelationRow[],
): Map<number, ComputedMembers> {
  const members = new Map(
    relations.map((row) => [
      row.oid,
      { row, fields: new Map<string, ComputedField>(), relationships: new Map<string, ComputedRelationship>() },
    ]),
  );
  const isExposed = new Set(relations.map(({ schema, name }) => JSON.stringify([schema, name])));
  for (const { entry, rowRelation } of functions) {
    const member = rowRelation === null ? undefined : members.get(rowRelation);
    if (member === undefined || entry.schema !== member.row.schema) continue;
    const { returns, schema, name } = entry;
    const target = returns.rowOf;
    if (target !== null && isExposed.has(JSON.stringify([target.schema, target.name]))) {
      const isToOne = !returns.isSet || entry.rows === 1;
      member.relationships.set(name, { function: { schema, name }, target, isToOne });
    } else if (!returns.isSet && returns.kind !== "void" && returns.type.category !== "void") {
      member.fields.set(name, { function: { schema, name }, type: returns.type });
    }
  }
  return members;
}
