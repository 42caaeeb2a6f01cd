/** What the schema does not say about a table or view. */
export interface TableText {
  /** One sentence. */
  readonly summary: string;
  /** Rules that columns and access do not show, one sentence or two each. */
  readonly notes?: readonly string[];
  /** By name of the column. */
  readonly columns: Readonly<Record<string, string>>;
  /** By other name of a column in a written row. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** What raises the event, by its type. */
  readonly events?: Readonly<Record<string, string>>;
  /** The page of `docs/guides` that explains the table, without its ending. */
  readonly guide: string;
}

/** A table has all of its operations under this path. */
export const TABLE_PREFIX = "/rest/v1";
