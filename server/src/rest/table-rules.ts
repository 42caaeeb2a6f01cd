import type pg from "pg";
import type { Principal } from "../db/index.ts";
import type { AppError } from "../errors/index.ts";
import type { QualifiedName } from "./catalogue/catalogue.ts";
import type { JsonObject } from "./parse/parsed-request.ts";

export interface WriteAttempt {
  readonly relation: QualifiedName;
  readonly operation: "insert" | "upsert" | "update" | "delete";
  /** Empty for a delete. Rows may own any key, `__proto__` included: read them with `Object.hasOwn`. */
  readonly rows: readonly JsonObject[];
  /** The columns that will be written; a row's other keys are ignored. */
  readonly columns: readonly string[];
  /** What the rows were written in; all values of `csv` and `form` are texts. */
  readonly source: "json" | "csv" | "form";
  /** The body is an array, so messages name the row too. */
  readonly isArray: boolean;
  /** The one id that the filters name, when they name nothing else. */
  readonly pinnedId: string | null;
  readonly caller: Pick<Principal, "role" | "userId">;
}

/** Rows to write in place of those that were sent, when rules fill in or leave out something. */
export interface RewrittenRows {
  readonly rows: readonly JsonObject[];
  readonly columns: readonly string[];
}

export interface ReadAttempt {
  readonly relation: QualifiedName;
  readonly pinnedId: string | null;
  readonly caller: Pick<Principal, "role" | "userId">;
}

/** What is special about some tables. The engine itself knows none by name. */
export interface TableRules {
  /** Throws an AppError with all faults of the rows, or says what to write instead; null: as sent. */
  beforeWrite(attempt: WriteAttempt): RewrittenRows | null;
  /** The name that a rejection of the database has here; null: it keeps its own. The row is the rejected one of a list, if known. */
  explainRejection(
    error: pg.DatabaseError,
    attempt: WriteAttempt | ReadAttempt,
    rowAt: number | null,
  ): Promise<AppError | null> | AppError | null;
  /** A single object was asked for, or one row was pinned by a write, and none was there. Null: as PostgREST has it. */
  explainMissing(attempt: WriteAttempt | ReadAttempt): Promise<AppError | null> | AppError | null;
  /** An update of one pinned row that changes no column returns that row. Elsewhere it returns no row, as in PostgREST. */
  isUnchangedRowReturned(relation: QualifiedName): boolean;
}
