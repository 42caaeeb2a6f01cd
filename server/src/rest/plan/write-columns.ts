import type { Column, Relation } from "../catalogue/catalogue.ts";
import { restError } from "../rest-error.ts";

/** Each column once, in the order in which they were named. */
export function getColumns({ name: relation, columns }: Relation, names: readonly string[]): readonly Column[] {
  return [...new Set(names)].map((name) => {
    const column = columns.get(name);
    if (column !== undefined) return column;
    throw restError("PGRST204", `Could not find the '${name}' column of '${relation}' in the schema cache`);
  });
}
