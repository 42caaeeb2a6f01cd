import type { Relation, Tuple } from "../feed/row-change.ts";

/** The value of a column, undefined where it is not known. */
export type ReadColumn = (column: string) => string | null | undefined;

const places = new WeakMap<Relation, ReadonlyMap<string, number>>();

export function readerOf(relation: Relation, tuple: Tuple): ReadColumn {
  let known = places.get(relation);
  if (known === undefined) {
    known = new Map(relation.columns.map(({ name }, at) => [name, at]));
    places.set(relation, known);
  }
  const byName = known;
  return (column) => {
    const at = byName.get(column);
    return at === undefined ? undefined : tuple[at];
  };
}
