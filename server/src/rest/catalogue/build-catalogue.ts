import { buildColumns, type ColumnSet, NO_COLUMNS } from "./build-columns.ts";
import { type BuiltFunction, buildFunctions } from "./build-functions.ts";
import { buildLinks, type LinkEnd } from "./build-links.ts";
import { buildTypes } from "./build-types.ts";
import type { Catalogue, FunctionEntry, Relation, RelationKind, SchemaEntry } from "./catalogue.ts";
import type { CatalogueRows } from "./catalogue-rows.ts";
import { type ComputedMembers, findComputed } from "./find-computed.ts";
import type { ConstraintRow } from "./sql/select-constraints.ts";
import type { RelationRow } from "./sql/select-relations.ts";
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
  const columns = buildColumns({ rows: rows.columns, types, details: rows.details });
  const functions = buildFunctions({ rows: rows.functions, types, columns });
  const traces = traceViews(rows.views);
  const computed = findComputed(functions, rows.relations);
  const accepted = new Map(rows.details?.accepted);
  const constraintsOf = Map.groupBy(rows.constraints, ({ relation }) => relation);

  const relations = rows.relations.map((row) =>
    buildRelation({
      row,
      columns: columns.get(row.oid) ?? NO_COLUMNS,
      constraints: constraintsOf.get(row.oid) ?? [],
      primaryKey: findPrimaryKey(row.oid, { constraintsOf, traces }),
      computed: computed.get(row.oid),
      mask: accepted.get(row.oid),
    }),
  );
  const ends = new Map(rows.relations.map((row): [number, LinkEnd] => [row.oid, buildEnd(row, columns.get(row.oid))]));
  return {
    version: rows.fingerprint,
    isComplete: rows.details !== null,
    links: buildLinks({ ends, constraints: rows.constraints, traces }),
    schemas: new Map(exposed.map((name) => [name, buildSchema(name, { rows, relations, functions })])),
  };
}

function buildSchema(
  name: string,
  parts: {
    readonly rows: CatalogueRows;
    readonly relations: readonly Relation[];
    readonly functions: readonly BuiltFunction[];
  },
): SchemaEntry {
  const { rows, relations, functions } = parts;
  const callable = functions.filter(({ entry, isCallable }) => isCallable && entry.schema === name);
  return {
    name,
    comment: rows.schemas.find((schema) => schema.name === name)?.comment ?? null,
    relations: new Map(relations.filter(({ schema }) => schema === name).map((relation) => [relation.name, relation])),
    functions: Map.groupBy(
      callable.map(({ entry }): FunctionEntry => entry),
      (entry) => entry.name,
    ),
  };
}

interface RelationParts {
  readonly row: RelationRow;
  readonly columns: ColumnSet;
  readonly constraints: readonly ConstraintRow[];
  /** Positions, or null when it has none. */
  readonly primaryKey: readonly number[];
  readonly computed: ComputedMembers | undefined;
  readonly mask: number | undefined;
}

function buildRelation({ row, columns, constraints, primaryKey, computed, mask }: RelationParts): Relation {
  const nameAll = (positions: readonly number[]): string[] =>
    positions.flatMap((position) => columns.byPosition.get(position)?.name ?? []);
  const kind = KINDS[row.kind];
  const keys = constraints.filter((constraint) => constraint.kind !== "f");
  // When updatability is unknown, the database decides.
  const accepts = (bit: number): boolean => kind !== "materialized" && (mask === undefined || (mask & bit) === bit);
  return {
    schema: row.schema,
    name: row.name,
    kind,
    isView: kind === "view" || kind === "materialized",
    comment: row.comment,
    columns: columns.byName,
    primaryKey: nameAll(primaryKey),
    keys: keys.map((key) => nameAll(key.columns)),
    foreignKeys: constraints.flatMap((constraint) => {
      const { targetSchema, targetName, targetColumnNames } = constraint;
      if (targetSchema === null || targetName === null || targetColumnNames === null) return [];
      const own = nameAll(constraint.columns);
      return {
        constraint: constraint.name,
        target: { schema: targetSchema, name: targetName },
        columns: own.map((column, place) => [column, targetColumnNames[place] ?? ""] as const),
      };
    }),
    computedFields: computed?.fields ?? new Map(),
    computedRelationships: computed?.relationships ?? new Map(),
    isInsertable: accepts(ACCEPTS_INSERT),
    isUpdatable: accepts(ACCEPTS_UPDATE),
    isDeletable: accepts(ACCEPTS_DELETE),
  };
}

interface KeySources {
  readonly constraintsOf: ReadonlyMap<number, readonly ConstraintRow[]>;
  readonly traces: ViewTraces;
}

/** Of a view: the keys of base tables of which it has all key columns. */
function findPrimaryKey(relation: number, { constraintsOf, traces }: KeySources): readonly number[] {
  const keyOf = (table: number) => constraintsOf.get(table)?.find(({ kind }) => kind === "p")?.columns;
  const shownTables = traces.get(relation);
  if (shownTables === undefined) return keyOf(relation) ?? [];
  return [...shownTables].flatMap(([table, shown]) => {
    const key = keyOf(table);
    return key === undefined ? [] : (readingsOf(key, shown)[0] ?? []);
  });
}

function buildEnd(row: RelationRow, columns: ColumnSet | undefined): LinkEnd {
  return {
    name: { schema: row.schema, name: row.name },
    isView: row.kind === "v" || row.kind === "m",
    columnName: (position) => columns?.byPosition.get(position)?.name,
  };
}
