const ENTRY_FIELD = /:(resno|resorigtbl|resorigcol) (\d+)/y;

const TARGET_LIST = ":targetList (";

/** For each column of a table, its positions in a view. */
type ShownColumns = ReadonlyMap<number, readonly number[]>;

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

/** The origin of a view's column that is not an expression. */
interface ViewColumnOrigin {
  readonly position: number;
  readonly relation: number;
  readonly column: number;
}

/**
 * Reads the column origins that PostgreSQL stores in the rule of a view, resolved through joins, subqueries and CTEs. Braces nest
 * nodes and backslashes escape special characters of names, so the outermost target list is found without parsing the rest.
 */
function readViewColumns(tree: string): ViewColumnOrigin[] {
  const origins: ViewColumnOrigin[] = [];
  let depth = 0;
  let isInList = false;
  let entry = { resno: 0, resorigtbl: 0, resorigcol: 0 };
  for (let index = 0; index < tree.length; index++) {
    switch (tree.charAt(index)) {
      case "\\":
        index++;
        break;
      case "{":
        depth++;
        if (isInList && depth === 2) entry = { resno: 0, resorigtbl: 0, resorigcol: 0 };
        break;
      case "}":
        if (isInList && depth === 2 && entry.resorigtbl !== 0 && entry.resorigcol > 0) {
          origins.push({ position: entry.resno, relation: entry.resorigtbl, column: entry.resorigcol });
        }
        depth--;
        break;
      case ")":
        if (isInList && depth === 1) return origins;
        break;
      case " ":
        if (depth === 1 && !isInList && tree.startsWith(TARGET_LIST, index + 1)) {
          isInList = true;
          index += TARGET_LIST.length;
        } else if (depth === 2 && isInList) {
          ENTRY_FIELD.lastIndex = index + 1;
          const field = ENTRY_FIELD.exec(tree);
          if (field !== null) entry[field[1] as keyof typeof entry] = Number(field[2]);
        }
        break;
      default:
        break;
    }
  }
  return origins;
}
