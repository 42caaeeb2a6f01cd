import {
  type FairPool,
  type StatementResult,
  type PipelinedStatement,
  runPipelined,
  type Scope,
  scopeOf,
  buildScope,
} from "../db/index.ts";
import type { PreparedRequest } from "./prepare-request.ts";
import type { RestCall } from "./rest-call.ts";
import { SELECT_ANSWER_SETTINGS, SET_TIMEZONE, UNSET_ANSWER, UNSET_TIMEZONE } from "./sql/transaction-settings.ts";
import type { PlannedStatement } from "./sql/statement.ts";

export interface RunOptions {
  readonly pool: FairPool;
  readonly schemas: readonly string[];
  readonly statementTimeoutMs: number;
  readonly shouldRollBack: boolean;
  readonly maxResponseBytes: number;
  /** Called with the number of bytes that arrive; an error ends a read. */
  onBytes?(count: number): Error | null;
}

export interface RunResult {
  readonly main: StatementResult;
  /** The execution plan from which the number of rows is estimated. */
  readonly estimate: StatementResult | null;
  readonly csvHeader: StatementResult | null;
  /** What foreign SQL has set for the response. */
  readonly settings: StatementResult | null;
}

/** Shared, so that its text is rendered once. */
const NO_HEADERS = Object.freeze({});

/** The statements that precede the main statement, and those that give the result. */
interface StatementGroup {
  readonly before: readonly PipelinedStatement[];
  readonly answering: Readonly<Record<keyof RunResult, PipelinedStatement | null>>;
}

/** In the order in which they run: the settings are read after everything that may change them. */
const RESULTS = ["main", "estimate", "csvHeader", "settings"] as const satisfies readonly (keyof RunResult)[];

/** Runs prepared requests in order, in one transaction and one round trip, with one result for each. */
export async function runPrepared(
  prepared: readonly PreparedRequest[],
  calls: readonly [RestCall, ...RestCall[]],
  options: RunOptions,
): Promise<readonly RunResult[]> {
  const [call] = calls;
  const isForeign = prepared.some(({ shape }) => shape.isForeign);
  const scopes = prepared.map((one, index) =>
    describeScope(prepared, one, calls[index] ?? call, { ...options, isForeign }),
  );
  const [scope] = scopes;
  if (scope === undefined) throw new Error("nothing was prepared");
  const groups = prepared.map((_, index) => buildStatementGroup(prepared, index, scopes[index] ?? scope));
  const { maxResponseBytes, onBytes } = options;
  const results = await runPipelined(options.pool, {
    scope,
    statements: groups.flatMap(listStatements),
    // The statements of a write count their bytes themselves: when bytes arrive it may have been committed.
    ...(scope.isReadOnly ? { maxResultBytes: maxResponseBytes } : { maxResultBytes: 2 * maxResponseBytes }),
    onBytes: scope.isReadOnly || onBytes === undefined ? onBytes : (count) => (onBytes(count), null),
    resetAfter: isForeign,
    rollback: options.shouldRollBack,
    // A write runs to its end: its caller must not have to guess whether it was committed.
    signal: scope.isReadOnly ? call.signal : undefined,
  });
  let next = 0;
  return groups.map(({ before, answering }) => {
    next += before.length;
    const [main = null, estimate = null, csvHeader = null, settings = null] = RESULTS.map((name) =>
      answering[name] === null ? null : results[next++],
    );
    if (main === null) throw new Error("the transaction has no result for its statement");
    return { main, estimate, csvHeader, settings };
  });
}

function listStatements({ before, answering }: StatementGroup): readonly PipelinedStatement[] {
  return [...before, ...RESULTS.flatMap((name) => answering[name] ?? [])];
}

/** Runs a statement about the schema as the caller. */
export async function runDescription(
  text: string,
  values: readonly string[],
  call: RestCall,
  options: RunOptions,
): Promise<StatementResult> {
  const scope = { ...describeScope([], null, call, { ...options, isForeign: false }), isReadOnly: true };
  const [result] = await runPipelined(options.pool, { scope, statements: [{ text, values }] });
  if (result === undefined) throw new Error("the transaction has no result for its statement");
  return result;
}

/** The index of the request that a statement of the transaction belongs to; -1 when none. */
export function groupOf(prepared: readonly PreparedRequest[], statementIndex: number): number {
  let end = 0;
  return prepared.findIndex((_, index) => {
    end += listStatements(buildStatementGroup(prepared, index, null)).length;
    return statementIndex < end;
  });
}

/** Without a scope the statements can only be counted. */
function buildStatementGroup(prepared: readonly PreparedRequest[], index: number, scope: Scope | null): StatementGroup {
  const own = prepared[index];
  if (own === undefined) throw new Error("the request does not exist");
  const { request, media, shape, values } = own;
  const { main, estimate, csvHeader } = shape.statements;
  const { timezone } = request.preferences;
  const bind = ({ text, parameters }: PlannedStatement, isUnprepared = false): PipelinedStatement => ({
    text,
    values: parameters.map((placeholder) => values[placeholder] ?? null),
    isUnprepared,
  });
  const { isForeign } = shape;
  const before = enterAgain(prepared.slice(0, index), scope);
  if (timezone !== null) before.push({ text: SET_TIMEZONE, values: [timezone] });
  return {
    before,
    answering: {
      main: bind(media.explain === null ? main : explain(main, media.explain)),
      estimate: estimate === null ? null : bind(estimate, isForeign),
      csvHeader: csvHeader === null ? null : bind(csvHeader, isForeign),
      settings: isForeign ? { text: SELECT_ANSWER_SETTINGS, values: [], isUnprepared: true } : null,
    },
  };
}

/** Returns the execution plan instead of the result. */
function explain(
  { text, parameters }: PlannedStatement,
  { format, options }: NonNullable<PreparedRequest["media"]["explain"]>,
): PlannedStatement {
  return { text: `explain (${[`format ${format}`, ...options].join(", ")}) ${text}`, parameters };
}

/** Resets what earlier requests have set in the transaction: the caller, the response settings, the time zone. */
function enterAgain(earlier: readonly PreparedRequest[], scope: Scope | null): PipelinedStatement[] {
  const statements: PipelinedStatement[] = [];
  if (earlier.some(({ request }) => request.preferences.timezone !== null)) {
    statements.push({ text: UNSET_TIMEZONE, values: [] });
  }
  if (earlier.some(({ shape }) => shape.isForeign)) {
    // The session was checked when the transaction began; the role of the caller may not check it.
    const again = scope === null ? { text: "", values: [] } : buildScope({ ...scope, session: null });
    statements.push(again, { text: UNSET_ANSWER, values: [] });
  }
  return statements;
}

function describeScope(
  prepared: readonly PreparedRequest[],
  own: PreparedRequest | null,
  { input, path, principal }: RestCall,
  { pool, schemas, statementTimeoutMs, isForeign }: RunOptions & { readonly isForeign: boolean },
): Scope {
  return scopeOf(principal, {
    schemas: own === null ? schemas : withFirst(schemas, own.request.schema),
    statementTimeoutMs,
    lockTimeoutMs: pool.lockTimeoutMs,
    isReadOnly: prepared.every(
      ({ shape: { plan } }) => plan.kind === "read" || (plan.kind === "call" && !plan.call.mayWrite),
    ),
    // Only SQL that is not part of the service reads them.
    request: { method: input.method, path, headers: isForeign ? joinHeaders(input.headers) : NO_HEADERS },
  });
}

/** Returns the same array when it is in order already, so that values cached by it are found. */
function withFirst(schemas: readonly string[], first: string): readonly string[] {
  return schemas[0] === first ? schemas : [first, ...schemas.filter((other) => other !== first)];
}

function joinHeaders(headers: RestCall["input"]["headers"]): Record<string, string> {
  const joined: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && name !== "cookie") joined[name] = typeof value === "string" ? value : value.join(", ");
  }
  return joined;
}
