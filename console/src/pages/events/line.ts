import type { ChangedRow } from "../../data/change.ts";
import type { DescribedChange } from "./describe-change.ts";

/** A line of the list; a line without a description marks a gap. */
export interface Line {
  readonly key: string;
  readonly at: string;
  readonly described: DescribedChange | null;
  readonly row: ChangedRow | null;
}
