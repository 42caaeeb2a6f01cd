import type { ReplicatedRelation, Tuple } from "./row-change.ts";

/** Returns the value of a column, or undefined when the WAL omits it. */
export type ReadColumn = (column: string) => string | null | undefined;

const indexes = new WeakMap<ReplicatedRelation, ReadonlyMap<string, number>>();

export function readerOf(relation: ReplicatedRelation, tuple: Tuple): ReadColumn {
  let known = indexes.get(relation);
  if (known === undefined) {
    known = new Map(relation.columns.map(({ name }, index) => [name, index]));
    indexes.set(relation, known);
  }
  const byName = known;
  return (column) => {
    const index = byName.get(column);
    return index === undefined ? undefined : tuple[index];
  };
}
