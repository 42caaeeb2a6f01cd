import { readViewColumns, type ViewColumnOrigin } from "./read-view-columns.ts";

/** For each column of a table, its positions in a view. */
export type ShownColumns = ReadonlyMap<number, readonly number[]>;

/** By view, then by table beneath it. */
export type ViewTraces = ReadonlyMap<number, ReadonlyMap<number, ShownColumns>>;

const MAX_VIEWS_DEEP = 64;
/** Bounds the combinations of a key whose columns each occur several times in a view. */
const MAX_READINGS = 16;

/** Follows the columns of every view down to tables, through views over views. */
export function traceViews(views: readonly { readonly oid: number; readonly tree: string }[]): ViewTraces {
  const origins = new Map(views.map(({ oid, tree }) => [oid, readViewColumns(tree)]));
  return new Map([...origins.keys()].map((view) => [view, traceView(view, origins)]));
}

function traceView(view: number, origins: ReadonlyMap<number, readonly ViewColumnOrigin[]>): Map<number, ShownColumns> {
  const tables = new Map<number, Map<number, number[]>>();
  for (const { position, ...start } of origins.get(view) ?? []) {
    const end = follow(start, origins);
    if (end === null) continue;
    const shown = tables.get(end.relation) ?? new Map<number, number[]>();
    tables.set(end.relation, shown);
    shown.set(end.column, [...(shown.get(end.column) ?? []), position]);
  }
  return tables;
}

type Place = Omit<ViewColumnOrigin, "position">;

function follow(start: Place, origins: ReadonlyMap<number, readonly ViewColumnOrigin[]>): Place | null {
  let place: Place | undefined = start;
  for (let deep = 0; deep < MAX_VIEWS_DEEP && place !== undefined; deep++) {
    const { relation, column }: Place = place;
    const beneath = origins.get(relation);
    if (beneath === undefined) return place;
    place = beneath.find(({ position }) => position === column);
  }
  return null;
}

/** All combinations of positions of these columns in the view, in their order; none when one is missing. */
export function readingsOf(columns: readonly number[], shown: ShownColumns): number[][] {
  let readings: number[][] = [[]];
  for (const column of columns) {
    const places = shown.get(column) ?? [];
    readings = readings.flatMap((reading) => places.map((place) => [...reading, place])).slice(0, MAX_READINGS);
  }
  return readings;
}
