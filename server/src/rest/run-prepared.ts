import type pg from "pg";
import {
  type StatementResult,
  type PipelinedStatement,
  runPipelined,
  type Scope,
  scopeOf,
  buildScope,
} from "../db/index.ts";
import type { PreparedRequest } from "./prepare-request.ts";
import type { RestCall } from "./rest-call.ts";
import { renderExplain } from "./sql/render-explain.ts";
import { SET_TIMEZONE, UNSET_ANSWER, UNSET_TIMEZONE } from "./sql/transaction-settings.ts";
import type { PlannedStatement } from "./sql/statement.ts";

export interface RunOptions {
  readonly pool: pg.Pool;
  readonly schemas: readonly string[];
  readonly statementTimeoutMs: number;
  readonly shouldRollBack: boolean;
}

export interface RunResult {
  readonly main: StatementResult;
  /** The plan of the rows asked for, where their number was to be guessed. */
  readonly estimate: StatementResult | null;
}

/** One for all, so that it is written once. */
const NO_HEADERS = Object.freeze({});

interface StatementGroup {
  readonly statements: readonly PipelinedStatement[];
  /** Where among them the main one stands. */
  readonly mainAt: number;
}

/** All that was prepared, in order and each for its call: one transaction, one round trip, one result for each. */
export async function runPrepared(
  prepared: readonly PreparedRequest[],
  calls: readonly [RestCall, ...RestCall[]],
  options: RunOptions,
): Promise<readonly RunResult[]> {
  const [call] = calls;
  const isForeign = prepared.some(({ shape }) => shape.isForeign);
  const scopes = prepared.map((one, at) => describeScope(prepared, one, calls[at] ?? call, { ...options, isForeign }));
  const [scope] = scopes;
  if (scope === undefined) throw new Error("nothing was prepared");
  const statements: PipelinedStatement[] = [];
  const mains = prepared.map((_, at) => {
    const leg = buildStatementGroup(prepared, at, scopes[at] ?? scope);
    const mainAt = statements.length + leg.mainAt;
    statements.push(...leg.statements);
    return mainAt;
  });
  const results = await runPipelined(options.pool, {
    scope,
    statements,
    resetAfter: isForeign,
    rollback: options.shouldRollBack,
    signal: call.signal,
  });
  return prepared.map(({ shape }, at) => {
    const mainAt = mains[at] ?? -1;
    const main = results[mainAt];
    if (main === undefined) throw new Error("a transaction was committed without the result of its statement");
    return { main, estimate: shape.statements.estimate === null ? null : (results[mainAt + 1] ?? null) };
  });
}

/** A statement of our own about the schema, as the caller. */
export async function runDescription(
  text: string,
  values: readonly string[],
  call: RestCall,
  options: RunOptions,
): Promise<StatementResult> {
  const scope = { ...describeScope([], null, call, { ...options, isForeign: false }), isReadOnly: true };
  const [result] = await runPipelined(options.pool, { scope, statements: [{ text, values }] });
  if (result === undefined) throw new Error("a transaction was committed without the result of its statement");
  return result;
}

/** The index of the request that the failed statement belongs to; -1 when there is none. */
export function groupOf(prepared: readonly PreparedRequest[], statementAt: number): number {
  let end = 0;
  return prepared.findIndex((_, at) => {
    end += buildStatementGroup(prepared, at, null).statements.length;
    return statementAt < end;
  });
}

/** Without a scope, its statements can be counted. */
function buildStatementGroup(prepared: readonly PreparedRequest[], at: number, scope: Scope | null): StatementGroup {
  const own = prepared[at];
  if (own === undefined) throw new Error("there is no such request");
  const { request, media, shape, values } = own;
  const { main, estimate } = shape.statements;
  const { timezone } = request.preferences;
  const bind = ({ text, parameters }: PlannedStatement): PipelinedStatement => ({
    text,
    values: parameters.map((placeholder) => values[placeholder] ?? null),
  });
  const statements = enterAgain(prepared.slice(0, at), scope);
  if (timezone !== null) statements.push({ text: SET_TIMEZONE, values: [timezone] });
  const mainAt = statements.push(bind(media.explain === null ? main : renderExplain(main, media.explain))) - 1;
  if (estimate !== null) statements.push(bind(estimate));
  return { statements, mainAt };
}

/** What those before have set for the transaction is not for the next: not who asks, nor what is answered, nor the time zone. */
function enterAgain(earlier: readonly PreparedRequest[], scope: Scope | null): PipelinedStatement[] {
  const statements: PipelinedStatement[] = [];
  if (earlier.some(({ request }) => request.preferences.timezone !== null)) {
    statements.push({ text: UNSET_TIMEZONE, values: [] });
  }
  if (earlier.some(({ shape }) => shape.isForeign)) {
    // The session was asked for when the transaction began; the caller's own role may not ask.
    const again = scope === null ? { text: "", values: [] } : buildScope({ ...scope, session: null });
    statements.push(again, { text: UNSET_ANSWER, values: [] });
  }
  return statements;
}

function describeScope(
  prepared: readonly PreparedRequest[],
  own: PreparedRequest | null,
  { input, path, caller }: RestCall,
  { schemas, statementTimeoutMs, isForeign }: RunOptions & { readonly isForeign: boolean },
): Scope {
  return scopeOf(caller, {
    schemas: own === null ? schemas : withFirst(schemas, own.request.schema),
    statementTimeoutMs,
    isReadOnly: prepared.every(
      ({ shape: { plan } }) => plan.kind === "read" || (plan.kind === "call" && !plan.call.mayWrite),
    ),
    // Nobody but SQL of others looks at them.
    request: { method: input.method, path, headers: isForeign ? joinHeaders(input.headers) : NO_HEADERS },
  });
}

/** The very list where it is in order already, so that what is made of it can be kept. */
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
