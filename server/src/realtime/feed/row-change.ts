/** A table as the WAL describes it; another object after every change of the table, its rules or its rights. */
export interface Relation {
  readonly oid: number;
  readonly schema: string;
  readonly name: string;
  readonly isIdentityFull: boolean;
  readonly columns: readonly RelationColumn[];
}

export interface RelationColumn {
  readonly name: string;
  readonly typeOid: number;
  /** Part of what is kept of a row that is gone. */
  readonly isKey: boolean;
}

/** One value for each column, as PostgreSQL writes it; undefined where the WAL does not tell. */
export type Tuple = readonly (string | null | undefined)[];

export interface RowChange {
  readonly relation: Relation;
  readonly type: "INSERT" | "UPDATE" | "DELETE";
  readonly record: Tuple | null;
  readonly oldRecord: Tuple | null;
}

export interface FeedMessage {
  readonly prefix: string;
  readonly content: Buffer;
}

/** What one transaction has done, as far as anybody asked. */
export interface Transaction {
  readonly xid: number;
  readonly commitTimestamp: string;
  readonly changes: readonly RowChange[];
  readonly messages: readonly FeedMessage[];
  readonly truncated: readonly Relation[];
  readonly bytes: number;
}
