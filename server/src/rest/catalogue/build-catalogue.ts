import { buildColumns, type ColumnSet, NO_COLUMNS } from "./build-columns.ts";
import { buildFunctions, type BuiltFunction } from "./build-functions.ts";
import { buildRelationships } from "./build-relationships.ts";
import { buildRoleSettings } from "./build-settings.ts";
import { buildTypes } from "./build-types.ts";
import type {
  Catalogue,
  ComputedField,
  ComputedRelationship,
  Relation,
  RelationKind,
  SchemaEntry,
} from "./catalogue.ts";
import { buildMediaHandlers } from "./media-handlers.ts";
import type { CatalogueRows, ConstraintRow, RelationRow } from "./sql/select-catalogue.ts";
import { readingsOf, traceViews, type ViewTraces } from "./trace-views.ts";

const KINDS: Readonly<Record<RelationRow["kind"], RelationKind>> = {
  r: "table",
  p: "partitioned",
  v: "view",
  m: "materialized",
  f: "foreign",
};
const ACCEPTS_UPDATE = 4;
const ACCEPTS_INSERT = 8;
const ACCEPTS_DELETE = 16;

/** Builds the catalogue from rows. `exposed` sets the order of the schemas; a schema that does not exist is empty. */
export function buildCatalogue(rows: CatalogueRows, exposed: readonly string[]): Catalogue {
  const types = buildTypes(rows.types);
  const columns = buildColumns(rows, types);
  const functions = buildFunctions(rows.functions, types, columns);
  const traces = traceViews(rows.views);
  const sources: RelationSources = {
    columns,
    traces,
    constraintsOf: Map.groupBy(rows.constraints, ({ relation }) => relation),
    computed: findComputed(functions, rows.relations),
    accepted: new Map(rows.details?.accepted),
  };
  const relations = new Map(rows.relations.map((row) => [row.oid, buildRelation(row, sources)]));
  return {
    version: rows.fingerprint,
    isComplete: rows.details !== null,
    mediaHandlers: buildMediaHandlers(rows.mediaHandlers),
    roleSettings: buildRoleSettings(rows.roleSettings),
    relationships: buildRelationships({ relations, columns, constraints: rows.constraints, traces }),
    schemas: new Map(
      exposed.map((name) => {
        const comment = rows.schemas.find((schema) => schema.name === name)?.comment ?? null;
        return [name, { name, comment, ...listMembers(name, [...relations.values()], functions) }];
      }),
    ),
  };
}

function listMembers(
  schema: string,
  relations: readonly Relation[],
  functions: readonly BuiltFunction[],
): Pick<SchemaEntry, "relations" | "functions"> {
  const callable = functions.filter(({ entry, isCallable }) => isCallable && entry.schema === schema);
  return {
    relations: new Map(relations.filter((one) => one.schema === schema).map((one) => [one.name, one])),
    functions: Map.groupBy(
      callable.map(({ entry }) => entry),
      ({ name }) => name,
    ),
  };
}

interface RelationSources {
  readonly columns: ReadonlyMap<number, ColumnSet>;
  readonly traces: ViewTraces;
  readonly constraintsOf: ReadonlyMap<number, readonly ConstraintRow[]>;
  readonly computed: ReadonlyMap<number, ComputedMembers>;
  /** Masks of what views and foreign tables accept. */
  readonly accepted: ReadonlyMap<number, number>;
}

function buildRelation(row: RelationRow, sources: RelationSources): Relation {
  const columns = sources.columns.get(row.oid) ?? NO_COLUMNS;
  const constraints = sources.constraintsOf.get(row.oid) ?? [];
  const computed = sources.computed.get(row.oid);
  const mask = sources.accepted.get(row.oid);
  const nameAll = (positions: readonly number[]): string[] =>
    positions.flatMap((position) => columns.byPosition.get(position)?.name ?? []);
  const kind = KINDS[row.kind];
  // When updatability is unknown, the database decides.
  const accepts = (bit: number): boolean => kind !== "materialized" && (mask === undefined || (mask & bit) === bit);
  return {
    schema: row.schema,
    name: row.name,
    kind,
    isView: kind === "view" || kind === "materialized",
    comment: row.comment,
    columns: columns.byName,
    primaryKey: nameAll(findPrimaryKey(row.oid, sources)),
    keys: constraints.filter(({ kind }) => kind !== "f").map((key) => nameAll(key.columns)),
    foreignKeys: constraints.flatMap((constraint) => {
      const { targetSchema, targetName, targetColumnNames } = constraint;
      if (targetSchema === null || targetName === null || targetColumnNames === null) return [];
      return {
        constraint: constraint.name,
        target: { schema: targetSchema, name: targetName },
        columns: nameAll(constraint.columns).map((column, place) => [column, targetColumnNames[place] ?? ""] as const),
      };
    }),
    computedFields: computed?.fields ?? new Map(),
    computedRelationships: computed?.relationships ?? new Map(),
    isInsertable: accepts(ACCEPTS_INSERT),
    isUpdatable: accepts(ACCEPTS_UPDATE),
    isDeletable: accepts(ACCEPTS_DELETE),
  };
}

/** Of a view: the keys of base tables of which it has all key columns. */
function findPrimaryKey(relation: number, { constraintsOf, traces }: RelationSources): readonly number[] {
  const keyOf = (table: number) => constraintsOf.get(table)?.find(({ kind }) => kind === "p")?.columns;
  const shownTables = traces.get(relation);
  if (shownTables === undefined) return keyOf(relation) ?? [];
  return [...shownTables].flatMap(([table, shown]) => {
    const key = keyOf(table);
    return key === undefined ? [] : (readingsOf(key, shown)[0] ?? []);
  });
}

interface ComputedMembers {
  readonly fields: ReadonlyMap<string, ComputedField>;
  readonly relationships: ReadonlyMap<string, ComputedRelationship>;
}

/**
 * Functions whose only parameter is a row of an exposed relation: those that return rows of an exposed relation are relationships,
 * those that return one value are fields. They belong to the schema of the relation.
 */
function findComputed(
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
