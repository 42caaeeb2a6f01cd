import type { ColumnSet } from "./build-columns.ts";
import type { ColumnPair, ForeignKeyRelationship, Relation } from "./catalogue.ts";
import type { ConstraintRow } from "./sql/select-catalogue.ts";
import { readingsOf, type ViewTraces } from "./trace-views.ts";

interface RelationshipSources {
  /** The exposed relations. */
  readonly relations: ReadonlyMap<number, Relation>;
  readonly columns: ReadonlyMap<number, ColumnSet>;
  readonly constraints: readonly ConstraintRow[];
  readonly traces: ViewTraces;
}

/** One side of a foreign key, as a relation contains it. */
interface KeySide {
  readonly relation: Relation;
  readonly columns: readonly string[];
}

/** Every foreign key, for each pair of exposed relations that contain both of its sides. */
export function buildRelationships(sources: RelationshipSources): ForeignKeyRelationship[] {
  const { relations, constraints, traces } = sources;
  const keys = new Map<number, string[]>();
  for (const { kind, relation, columns } of constraints) {
    if (kind !== "f") keys.set(relation, [...(keys.get(relation) ?? []), asSet(columns)]);
  }
  const viewsOver = new Map<number, number[]>();
  for (const [view, tables] of traces) {
    if (!relations.has(view)) continue;
    for (const table of tables.keys()) viewsOver.set(table, [...(viewsOver.get(table) ?? []), view]);
  }
  const sidesOf = (relation: number, columns: readonly number[]): KeySide[] => [
    ...nameColumns(sources, relation, [columns]),
    ...(viewsOver.get(relation) ?? []).flatMap((view) => {
      const shown = traces.get(view)?.get(relation);
      return shown === undefined ? [] : nameColumns(sources, view, readingsOf(columns, shown));
    }),
  ];
  return constraints.flatMap((row) => {
    if (row.kind !== "f" || row.targetColumns === null) return [];
    const isOneToOne = keys.get(row.relation)?.includes(asSet(row.columns)) ?? false;
    const targets = sidesOf(row.target, row.targetColumns);
    return sidesOf(row.relation, row.columns).flatMap((from) =>
      targets.map((target) => ({ constraint: row.name, isOneToOne, ...joinSides(from, target) })),
    );
  });
}

function joinSides(from: KeySide, target: KeySide): Omit<ForeignKeyRelationship, "constraint" | "isOneToOne"> {
  return {
    from: { schema: from.relation.schema, name: from.relation.name },
    target: { schema: target.relation.schema, name: target.relation.name },
    columns: from.columns.map((column, place): ColumnPair => [column, target.columns[place] ?? ""]),
    isFromView: from.relation.isView,
    isTargetView: target.relation.isView,
  };
}

function nameColumns(
  { relations, columns }: RelationshipSources,
  oid: number,
  readings: readonly (readonly number[])[],
): KeySide[] {
  const relation = relations.get(oid);
  if (relation === undefined) return [];
  return readings.flatMap((reading) => {
    const names = reading.map((position) => columns.get(oid)?.byPosition.get(position)?.name);
    return names.every((name) => name !== undefined) ? [{ relation, columns: names }] : [];
  });
}

function asSet(columns: readonly number[]): string {
  return columns.toSorted((one, other) => one - other).join();
}
