/** The origin of a view's column that is not an expression. */
export interface ViewColumnOrigin {
  readonly position: number;
  readonly relation: number;
  readonly column: number;
}

const ENTRY_FIELD = /:(resno|resorigtbl|resorigcol) (\d+)/y;
const TARGET_LIST = ":targetList (";

/**
 * Reads the column origins that PostgreSQL stores in the rule of a view, resolved through joins, subqueries and CTEs. Braces nest
 * nodes and backslashes escape special characters of names, so the outermost target list is found without parsing the rest.
 */
export function readViewColumns(tree: string): ViewColumnOrigin[] {
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
