import type { ChangedRow } from "../../data/change.ts";
import type { Described } from "./describe-change.ts";

/** A line of the list; without a description it marks that something may be missing. */
export interface Line {
  readonly key: string;
  readonly at: string;
  readonly described: Described | null;
  readonly row: ChangedRow | null;
}
