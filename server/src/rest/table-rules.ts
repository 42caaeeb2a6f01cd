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
  /** The format of the body; all values of `csv` and `form` are texts. */
  readonly source: "json" | "csv" | "form";
  /** The body is an array, so messages name the row too. */
  readonly isArray: boolean;
  /** The id of an `id=eq.…` that is the only filter. */
  readonly pinnedId: string | null;
  readonly principal: Pick<Principal, "role" | "userId">;
}

/** Rows to write instead of those sent. */
export interface RewrittenRows {
  readonly rows: readonly JsonObject[];
  readonly columns: readonly string[];
}

export interface ReadAttempt {
  readonly relation: QualifiedName;
  readonly pinnedId: string | null;
  readonly principal: Pick<Principal, "role" | "userId">;
}

/** Rules of individual tables. The engine itself knows no table by name. */
export interface TableRules {
  /** Throws an AppError with all faults of the rows, or returns the rows to write instead; null means the rows as sent. */
  beforeWrite(attempt: WriteAttempt): RewrittenRows | null;
  /** Translates a database error; null means that it keeps its code. `rowIndex` is the index of the rejected row in a list, if known. */
  explainRejection(
    error: pg.DatabaseError,
    attempt: WriteAttempt | ReadAttempt,
    rowIndex: number | null,
  ): Promise<AppError | null> | AppError | null;
  /** Called when a single object or one pinned row was requested and none was found. Null means the error of PostgREST. */
  explainMissing(attempt: WriteAttempt | ReadAttempt): Promise<AppError | null> | AppError | null;
  /** An update of one pinned row that changes no column returns that row. Elsewhere it returns no row, as in PostgREST. */
  isUnchangedRowReturned(relation: QualifiedName): boolean;
}
