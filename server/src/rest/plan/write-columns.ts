import type { Column, Relation } from "../catalogue/catalogue.ts";
import { restError } from "../rest-error.ts";
import type { Write } from "./plan.ts";

/** Each column once, in the order of `names`. */
export function getColumns({ name: relation, columns }: Relation, names: readonly string[]): readonly Column[] {
  return [...new Set(names)].map((name) => {
    const column = columns.get(name);
    if (column !== undefined) return column;
    throw restError("PGRST204", `Could not find the '${name}' column of '${relation}' in the schema cache`);
  });
}

/** The columns that an update sets, without the key by which rows of a list are found. */
export function changedColumns({ rows, matchOn }: Extract<Write, { kind: "update" }>): readonly Column[] {
  return rows.columns.filter(({ name }) => !matchOn?.includes(name));
}

/** An update that changes no column and returns no row. */
export function isWithoutEffect(write: Write): boolean {
  return write.kind === "update" && changedColumns(write).length === 0 && write.isUnchangedReturned !== true;
}
