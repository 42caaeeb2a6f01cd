import type { ChangedRow } from "../../data/change.ts";
import type { TimeRange } from "../../components/use-filters.ts";
import type { ChangeType, Noun } from "./change-types.ts";
import type { DescribedChange } from "./describe-change.ts";

/** A line of the list; a line without a description marks a gap. */
export interface Line {
  readonly key: string;
  readonly at: string;
  readonly described: DescribedChange | null;
  readonly row: ChangedRow | null;
}

export interface EventFilter {
  readonly noun: Noun | null;
  readonly type: ChangeType | null;
  readonly search: string;
  readonly range: TimeRange;
}

export function matchesFilter({ described, row, at }: Line, { noun, type, search, range }: EventFilter): boolean {
  // A gap may concern any filter.
  if (described === null) return true;
  if (noun !== null && described.noun !== noun) return false;
  if (type !== null && described.type !== type) return false;
  if (range.since !== null && Date.parse(at) < Date.parse(range.since)) return false;
  if (range.until !== null && Date.parse(at) > Date.parse(range.until)) return false;
  const words = search.trim().toLowerCase();
  if (words === "") return true;
  return `${described.type} ${described.text} ${JSON.stringify(row)}`.toLowerCase().includes(words);
}
