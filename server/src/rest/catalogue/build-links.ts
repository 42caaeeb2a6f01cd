import type { ColumnPair, Link, QualifiedName } from "./catalogue.ts";
import type { ConstraintRow } from "./sql/select-constraints.ts";
import { readingsOf, type ViewTraces } from "./trace-views.ts";

/** The parts of an exposed relation that links need. */
export interface LinkEnd {
  readonly name: QualifiedName;
  readonly isView: boolean;
  columnName(position: number): string | undefined;
}

export interface LinkSources {
  readonly ends: ReadonlyMap<number, LinkEnd>;
  readonly constraints: readonly ConstraintRow[];
  readonly traces: ViewTraces;
}

interface RateLimitState {
  readonly end: LinkEnd;
  readonly columns: readonly string[];
}

/** Every foreign key, for each pair of exposed relations that contain both of its sides. */
export function buildLinks({ ends, constraints, traces }: LinkSources): Link[] {
  const keys = new Map<number, string[]>();
  for (const { kind, relation, columns } of constraints) {
    if (kind !== "f") keys.set(relation, [...(keys.get(relation) ?? []), asSet(columns)]);
  }
  const viewsOver = indexViews(ends, traces);
  const standings = (relation: number, columns: readonly number[]): RateLimitState[] => {
    const end = ends.get(relation);
    const own = end === undefined ? [] : nameColumns(end, [columns]);
    const through = (viewsOver.get(relation) ?? []).flatMap((view) => {
      const shown = traces.get(view)?.get(relation);
      const viewEnd = ends.get(view);
      return shown === undefined || viewEnd === undefined ? [] : nameColumns(viewEnd, readingsOf(columns, shown));
    });
    return [...own, ...through];
  };
  return constraints.flatMap((row) => {
    if (row.kind !== "f" || row.targetColumns === null) return [];
    const isOneToOne = keys.get(row.relation)?.includes(asSet(row.columns)) ?? false;
    const targets = standings(row.target, row.targetColumns);
    return standings(row.relation, row.columns).flatMap((from) =>
      targets.map((target) => buildLink({ constraint: row.name, isOneToOne, from, target })),
    );
  });
}

interface LinkParts extends Pick<Link, "constraint" | "isOneToOne"> {
  readonly from: RateLimitState;
  readonly target: RateLimitState;
}

function buildLink({ constraint, isOneToOne, from, target }: LinkParts): Link {
  return {
    constraint,
    isOneToOne,
    from: from.end.name,
    target: target.end.name,
    columns: from.columns.map((column, place): ColumnPair => [column, target.columns[place] ?? ""]),
    isFromView: from.end.isView,
    isTargetView: target.end.isView,
  };
}

function indexViews(ends: ReadonlyMap<number, LinkEnd>, traces: ViewTraces): Map<number, number[]> {
  const viewsOver = new Map<number, number[]>();
  for (const [view, tables] of traces) {
    if (!ends.has(view)) continue;
    for (const table of tables.keys()) viewsOver.set(table, [...(viewsOver.get(table) ?? []), view]);
  }
  return viewsOver;
}

function nameColumns(end: LinkEnd, readings: readonly (readonly number[])[]): RateLimitState[] {
  return readings.flatMap((reading) => {
    const columns = reading.map((position) => end.columnName(position));
    return columns.every((column) => column !== undefined) ? [{ end, columns }] : [];
  });
}

function asSet(columns: readonly number[]): string {
  return columns.toSorted((one, other) => one - other).join();
}
