import type { Schema } from "../openapi/document.ts";

/** A table has all of its operations under this path. */
export const TABLE_PREFIX = "/rest/v1";

/** A table or view under `/rest/v1`, as `npm run generate -- reference` reads it from the schema. */
export interface TableDescription {
  readonly name: string;
  readonly isView: boolean;
  /** One sentence. */
  readonly summary: string;
  /** Rules that columns and access do not show, one sentence or two each. */
  readonly notes: readonly string[];
  /** The page of `docs/guides` that explains the table, without its ending. */
  readonly guide: string;
  /** Empty for most views. */
  readonly primaryKey: readonly string[];
  /** Columns of the unique constraints other than the primary key. */
  readonly uniqueKeys: readonly (readonly string[])[];
  readonly columns: readonly ColumnDescription[];
  /** Other names that a written row can have for a column. */
  readonly aliases: readonly AliasDescription[];
  /** What signed-in users can do, subject to the row-level rules. */
  readonly operations: readonly TableOperation[];
  /** Check constraints that no bound of a single column expresses. */
  readonly constraints: readonly ConstraintDescription[];
  /** The lines of the access matrix. */
  readonly access: readonly AccessLine[];
  /** What raises the event, by its type. */
  readonly events: Readonly<Record<string, string>>;
  /** Realtime subscriptions deliver its changes. */
  readonly hasRealtime: boolean;
  /** Relations that `select` can embed, computed relationships included. */
  readonly embeddings: readonly string[];
}

export type TableOperation = "select" | "insert" | "update" | "delete";

export interface ColumnDescription {
  readonly name: string;
  readonly description: string;
  /** As declared in SQL. */
  readonly type: string;
  /** The SQL expression. */
  readonly default: string | null;
  /** Of a value in a response. */
  readonly schema: Schema;
  /** Size of the JSON text. */
  readonly maxBytes: number | null;
  /** `table.column` of the foreign key, among the tables that clients can reach. */
  readonly references: string | null;
  readonly onInsert: "required" | "optional" | null;
  readonly onUpdate: boolean;
}

interface AliasDescription {
  readonly name: string;
  readonly description: string;
  readonly schema: Schema;
  readonly onUpdate: boolean;
}

interface ConstraintDescription {
  readonly name: string;
  readonly definition: string;
}

export interface AccessLine {
  readonly operation: string;
  /** By caller: `yes`, `-`, `no`, `none` or `never`. */
  readonly cells: Readonly<Record<string, string>>;
}

/** One request that was sent to a running service, and its response; ids, times and secrets are placeholders. */
export interface RecordedExchange {
  readonly table: string;
  readonly method: string;
  /** Below `/rest/v1`, with the query. */
  readonly path: string;
  readonly prefer: string | null;
  readonly body: unknown;
  readonly status: number;
  readonly answer: unknown;
}

/** A function of the service below `/rest/v1/rpc`. */
export interface CallDescription {
  readonly name: string;
  readonly summary: string;
  readonly description: string;
}

export interface TablesFile {
  readonly tables: readonly TableDescription[];
  readonly calls: readonly CallDescription[];
  readonly exchanges: readonly RecordedExchange[];
}
