/** A table as the WAL describes it. A new object follows each change of the table, its policies or its grants. */
export interface ReplicatedRelation {
  readonly oid: number;
  readonly schema: string;
  readonly name: string;
  readonly isIdentityFull: boolean;
  readonly columns: readonly RelationColumn[];
}

interface RelationColumn {
  readonly name: string;
  readonly typeOid: number;
  /** Part of the replica identity. */
  readonly isKey: boolean;
}

/** One value per column in the text format of PostgreSQL; undefined where the WAL omits it. */
export type Tuple = readonly (string | null | undefined)[];

export interface RowChange {
  readonly relation: ReplicatedRelation;
  readonly type: "INSERT" | "UPDATE" | "DELETE";
  readonly record: Tuple | null;
  readonly oldRecord: Tuple | null;
}

export interface FeedMessage {
  readonly prefix: string;
  readonly content: Buffer;
}

/** The changes and messages of one transaction, or of a part of a large one, without tables that nobody subscribes to. */
export interface Transaction {
  readonly xid: number;
  readonly isFirstPart: boolean;
  readonly isLastPart: boolean;
  readonly commitTimestamp: string;
  readonly changes: readonly RowChange[];
  readonly messages: readonly FeedMessage[];
  readonly truncated: readonly ReplicatedRelation[];
  readonly bytes: number;
}
