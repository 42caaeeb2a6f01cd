import { buildScope, type Scope } from "../scope.ts";
import { type StatementValue, toValueText } from "./value-text.ts";

export interface PipelinedStatement {
  readonly text: string;
  readonly values: readonly StatementValue[];
}

export interface TransactionOptions {
  /** Who the statements run as. A flight of a read-only scope may be sent again when a connection breaks. */
  readonly scope: Scope;
  readonly statements: readonly PipelinedStatement[];
  /** For calls into functions that are not ours: what they leave on the connection is removed in the same flight. */
  readonly resetAfter?: boolean;
  /** Everything is done and answered, constraints are checked, and then all of it is taken back. */
  readonly rollback?: boolean;
  readonly maxResultBytes?: number;
  readonly signal?: AbortSignal | undefined;
}

/** Values as PostgreSQL writes them, unparsed. */
export type TextRow = readonly (string | null)[];

export interface StatementResult {
  readonly rows: readonly TextRow[];
  /** As the server tells it, such as `INSERT 0 1`. */
  readonly commandTag: string;
  /** Rows returned or changed. */
  readonly rowCount: number;
}

export interface OrderedStatement {
  readonly text: string;
  readonly values: readonly (string | null)[];
  /** A statement that runs before the role is taken, or whose plan does not depend on it, has none. */
  readonly role: string;
  readonly isAnswered: boolean;
}

/** A flight with every value as text, so that nothing can fail between its first byte and its last. */
export interface TransactionRequest {
  readonly statements: readonly OrderedStatement[];
  readonly isReadOnly: boolean;
  readonly shouldReset: boolean;
  /** It leaves nothing behind, may be sent again, and its limit is so high that a neighbour's bytes do not matter. */
  readonly canShare: boolean;
  readonly maxResultBytes: number;
}

const MAX_VALUES = 65_535;
// Well below the longest text that the runtime can hold, which ends the process when it is passed.
const DEFAULT_MAX_RESULT_BYTES = 256 * 1024 * 1024;
const LOGIN = "login";

/**
 * A rollback in a transaction that was not begun takes back what was done since the last Sync. Unlike a begin, it
 * leaves no failed transaction open when a statement before it fails.
 */
const TAKE_BACK = ["set constraints all immediate", "rollback"];

export function buildTransactionRequest(options: TransactionOptions): TransactionRequest {
  const { scope, statements, resetAfter = false, rollback = false } = options;
  const { maxResultBytes = DEFAULT_MAX_RESULT_BYTES } = options;
  const enter = buildScope(scope);
  const takeBack = rollback ? TAKE_BACK : [];
  return {
    statements: [
      { ...enter, role: LOGIN, isAnswered: false },
      ...statements.map((statement) => orderStatement(statement, scope.role)),
      ...takeBack.map((text) => ({ text, values: [], role: LOGIN, isAnswered: false })),
    ],
    isReadOnly: scope.isReadOnly,
    shouldReset: resetAfter,
    canShare: scope.isReadOnly && !resetAfter && !rollback && maxResultBytes >= DEFAULT_MAX_RESULT_BYTES,
    maxResultBytes,
  };
}

function orderStatement({ text, values }: PipelinedStatement, role: string): OrderedStatement {
  if (text.includes("\0")) throw new RangeError("the text of a statement cannot hold a zero byte");
  if (values.length > MAX_VALUES) throw new RangeError(`a statement cannot have more than ${MAX_VALUES} values`);
  return { text, values: values.map(toValueText), role, isAnswered: true };
}
