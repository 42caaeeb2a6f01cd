/** A parameter. It is sent as text, and the statement determines its type. */
type StatementValue = string | number | bigint | boolean | Date | Uint8Array | null | readonly StatementValue[];

export interface PipelinedStatement {
  readonly text: string;
  readonly values: readonly StatementValue[];
  /** Not prepared: a statement before it may remove prepared statements. */
  readonly isUnprepared?: boolean;
}

export type Isolation = "read committed" | "repeatable read" | "serializable";

export interface TransactionOptions {
  /** Whose share of the connections it uses. */
  readonly key: string;
  /** The statement that begins the transaction: it sets the role and all that the statements depend on, until the end. */
  readonly enter: { readonly text: string; readonly values: readonly (string | null)[] };
  /** The role that it sets. The plans of prepared statements depend on it. */
  readonly role: string;
  /** May be sent again when a connection breaks. */
  readonly isReadOnly: boolean;
  /** Default: that of the server. */
  readonly isolation?: Isolation | null | undefined;
  /** What `enter` sets for each statement; it also limits all of them together where they run alone. 0: no limit. */
  readonly statementTimeoutMs: number;
  readonly statements: readonly PipelinedStatement[];
  /** Resets the connection in the same write. For calls of foreign functions, which may change the session. */
  readonly resetAfter?: boolean;
  /** Runs the statements, checks the constraints, returns the results, and then rolls back. */
  readonly rollback?: boolean;
  /** A larger result ends the connection, and with it the statement. */
  readonly maxResultBytes?: number;
  /** Called with the number of bytes that have arrived. An error ends the connection, and is the outcome. */
  readonly onBytes?: ((count: number) => Error | null) | undefined;
  /** Called before a read that is not known to be quick waits for a connection. An error is the outcome. */
  readonly admitSlow?: (() => Error | null) | undefined;
  /** Cancels the statements where they have a connection to themselves, and rolls back. Other reads run to their end unheard. */
  readonly signal?: AbortSignal | undefined;
}

/** Values in PostgreSQL's text format. */
export type TextRow = readonly (string | null)[];

export interface StatementResult {
  readonly rows: readonly TextRow[];
  /** Such as `INSERT 0 1`. */
  readonly commandTag: string;
  /** Rows returned or changed. */
  readonly rowCount: number;
  /** SQLSTATEs of the messages that the statement has sent, each once. */
  readonly notices?: readonly string[];
}

interface RequestStatement {
  readonly text: string;
  readonly values: readonly (string | null)[];
  /** `login` for statements that run before the role is set, or whose plan does not depend on it. */
  readonly role: string;
  readonly isAnswered: boolean;
  readonly isUnprepared?: boolean;
}

/** All values are text already, so that nothing can fail between the first byte and the last. */
export interface TransactionRequest {
  /** Whose share of the connections it uses. */
  readonly key: string;
  readonly statements: readonly RequestStatement[];
  readonly isReadOnly: boolean;
  readonly shouldReset: boolean;
  /** It leaves nothing on the connection, may be sent again, and has a size limit that its neighbours cannot use up. */
  readonly canShare: boolean;
  readonly maxResultBytes: number;
  /** For all statements together, where there are several: the server limits each of them alone. */
  readonly timeLimitMs: number | null;
  readonly onBytes: ((count: number) => Error | null) | null;
}

const MAX_VALUES = 65_535;
// Well below the maximum length of a string in V8; exceeding that ends the process.
const DEFAULT_MAX_RESULT_BYTES = 256 * 1024 * 1024;
/** Bytes that arrive together are counted for the first of the reads that share a connection. */
const MIN_SHARED_RESULT_BYTES = 1024 * 1024;
const LOGIN = "login";

/**
 * In an implicit transaction, a rollback undoes everything since the last Sync. Unlike an explicit begin, it leaves no failed
 * transaction open when an earlier statement fails.
 */
const ROLL_BACK = ["set constraints all immediate", "rollback"];

export function buildTransactionRequest(options: TransactionOptions): TransactionRequest {
  const { key, enter, role, isReadOnly, isolation = null, statementTimeoutMs, statements } = options;
  const { resetAfter = false, rollback = false, maxResultBytes = DEFAULT_MAX_RESULT_BYTES, onBytes = null } = options;
  const rollbackTexts = rollback ? ROLL_BACK : [];
  // Only before the first query of a transaction.
  const isolationTexts = isolation === null ? [] : [`set transaction isolation level ${isolation}`];
  return {
    key,
    statements: [
      ...isolationTexts.map((text) => ({ text, values: [], role: LOGIN, isAnswered: false })),
      { ...enter, role: LOGIN, isAnswered: false },
      ...statements.map((statement) => toRequestStatement(statement, role)),
      ...rollbackTexts.map((text) => ({ text, values: [], role: LOGIN, isAnswered: false })),
    ],
    isReadOnly,
    shouldReset: resetAfter,
    canShare: isReadOnly && !resetAfter && !rollback && maxResultBytes >= MIN_SHARED_RESULT_BYTES,
    maxResultBytes,
    timeLimitMs: statements.length > 1 && statementTimeoutMs > 0 ? statementTimeoutMs : null,
    onBytes,
  };
}

function toRequestStatement(statement: PipelinedStatement, role: string): RequestStatement {
  const { text, values, isUnprepared = false } = statement;
  if (text.includes("\0")) throw new RangeError("the text of a statement cannot contain a zero byte");
  if (values.length > MAX_VALUES) throw new RangeError(`a statement cannot have more than ${MAX_VALUES} values`);
  return { text, values: values.map(toValueText), role, isAnswered: true, isUnprepared };
}

function toValueText(value: StatementValue): string | null {
  if (typeof value === "string" || value === null) return value;
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString("hex")}`;
  if (isList(value)) return `{${value.map(toElement).join(",")}}`;
  return String(value);
}

function toElement(value: StatementValue): string {
  const text = toValueText(value);
  if (text === null) return "NULL";
  return isList(value) ? text : `"${text.replace(/["\\]/g, "\\$&")}"`;
}

// Array.isArray does not narrow readonly arrays.
function isList(value: StatementValue): value is readonly StatementValue[] {
  return Array.isArray(value);
}
