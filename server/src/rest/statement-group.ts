import type { PipelinedStatement, StatementResult } from "@swarmbase/postgres";
import { buildScope, type TransactionScope } from "../db/index.ts";
import { NO_SETTINGS, type OwnSettings } from "./catalogue/build-settings.ts";
import type { PreparedRequest } from "./prepare-request.ts";
import {
  CLAIM_KEY,
  setAll,
  callFunction,
  SELECT_ANSWER_SETTINGS,
  SET_TIMEZONE,
  UNSET_ANSWER,
  UNSET_TIMEZONE,
} from "./sql/transaction-settings.ts";
import type { PlannedStatement } from "./sql/planned-statement.ts";
import type { WriteKey } from "./write-key.ts";

export interface RunResult {
  readonly main: StatementResult;
  /** The execution plan from which the number of rows is estimated. */
  readonly estimate: StatementResult | null;
  readonly csvHeader: StatementResult | null;
  /** What foreign SQL has set for the response. */
  readonly settings: StatementResult | null;
  /** The result of an earlier request with the same idempotency key. */
  readonly isReplay?: boolean;
}

/** The statements that precede the main statement, and those that give the result. */
interface StatementGroup {
  readonly before: readonly PipelinedStatement[];
  readonly answering: Readonly<Record<ResultName, PipelinedStatement | null>>;
}

/** What every request begins with. */
export interface Entering {
  /** Of the role of the caller. */
  readonly roleSettings: OwnSettings;
  /** A function that runs before each request; null means none. */
  readonly preRequest: string | null;
  /** Null means that the request has none. */
  readonly writeKey: WriteKey | null;
}

type ResultName = Exclude<keyof RunResult, "isReplay">;

/** In the order in which they run: the settings are read after everything that may change them. */
export const RESULTS = ["main", "estimate", "csvHeader", "settings"] as const satisfies readonly ResultName[];

export function listStatements({ before, answering }: StatementGroup): readonly PipelinedStatement[] {
  return [...before, ...RESULTS.flatMap((name) => answering[name] ?? [])];
}

/** Without a scope the statements can only be counted. */
export function buildStatementGroup(
  prepared: readonly PreparedRequest[],
  index: number,
  scope: TransactionScope | null,
  options: Entering,
): StatementGroup {
  const own = prepared[index];
  if (own === undefined) throw new Error("the request does not exist");
  const { media, shape, values } = own;
  const { main, estimate, csvHeader } = shape.statements;
  const bind = ({ text, parameters }: PlannedStatement, isUnprepared = false): PipelinedStatement => ({
    text,
    values: parameters.map((placeholder) => values[placeholder] ?? null),
    isUnprepared,
  });
  const isForeign = shape.isForeign || options.preRequest !== null;
  return {
    before: [...enterAgain(prepared.slice(0, index), scope, options), ...enterRequest(own, scope, options)],
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
function enterAgain(
  earlier: readonly PreparedRequest[],
  scope: TransactionScope | null,
  { preRequest }: Entering,
): readonly PipelinedStatement[] {
  const statements: PipelinedStatement[] = [];
  if (earlier.some(({ request }) => request.preferences.timezone !== null)) {
    statements.push({ text: UNSET_TIMEZONE, values: [] });
  }
  if (earlier.some(({ shape }) => shape.isForeign || preRequest !== null)) {
    statements.push(restoreScope(scope), { text: UNSET_ANSWER, values: [] });
  }
  return statements;
}

/** Applies the settings of the role, the function and the request, then calls the pre-request function. */
export function enterRequest(
  own: PreparedRequest | null,
  scope: TransactionScope | null,
  { roleSettings, preRequest, writeKey }: Entering,
): readonly PipelinedStatement[] {
  const statements: PipelinedStatement[] = [];
  const called = own?.shape.plan.kind === "call" ? own.shape.plan.call.function.settings.others : NO_SETTINGS.others;
  if (roleSettings.others.size > 0 || called.size > 0) {
    const settings = new Map([...roleSettings.others, ...called]);
    statements.push({ text: setAll([...settings.keys()]), values: [...settings.values()] });
  }
  const timezone = own?.request.preferences.timezone ?? null;
  if (timezone !== null) statements.push({ text: SET_TIMEZONE, values: [timezone] });
  // The function may set anything, but it changes neither the caller nor the limits of the statement after it.
  if (preRequest !== null) statements.push({ text: callFunction(preRequest), values: [] }, restoreScope(scope));
  if (writeKey !== null) statements.push({ text: CLAIM_KEY, values: [writeKey.key, writeKey.requestHash] });
  return statements;
}

/** The session was checked when the transaction began; the role of the caller may not check it. */
function restoreScope(scope: TransactionScope | null): PipelinedStatement {
  return scope === null ? { text: "", values: [] } : buildScope({ ...scope, session: null });
}
