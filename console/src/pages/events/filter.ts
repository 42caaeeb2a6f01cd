import { type ChangeType, type Noun, NOUNS, TYPES_BY_NOUN } from "./change-types.ts";
import type { Line } from "./line.ts";

export interface EventFilter {
  readonly noun: Noun | null;
  readonly type: ChangeType | null;
  readonly search: string;
}

/** Filters are in the URL, so that the view can be shared as a link. */
export function readFilter(params: URLSearchParams): EventFilter {
  const noun = NOUNS.find((known) => known === params.get("noun")) ?? null;
  const types: readonly ChangeType[] = noun === null ? Object.values(TYPES_BY_NOUN).flat() : TYPES_BY_NOUN[noun];
  return {
    noun,
    type: types.find((known) => known === params.get("type")) ?? null,
    search: params.get("search") ?? "",
  };
}

export function matchesFilter({ described, row }: Line, { noun, type, search }: EventFilter): boolean {
  // A gap may concern any filter.
  if (described === null) return true;
  if (noun !== null && described.noun !== noun) return false;
  if (type !== null && described.type !== type) return false;
  const words = search.trim().toLowerCase();
  if (words === "") return true;
  return `${described.type} ${described.text} ${JSON.stringify(row)}`.toLowerCase().includes(words);
}
