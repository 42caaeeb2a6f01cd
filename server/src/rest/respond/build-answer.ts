import type { StatementResult } from "@swarmbase/postgres";
import type { ParsedRequest } from "../parse/parsed-request.ts";
import type { BodyForm, CallPlan, Plan, WritePlan } from "../plan/plan.ts";
import type { RestAnswer } from "../rest-call.ts";
import { restError } from "../rest-error.ts";
import { formatContentLocation, formatLocation } from "./locations.ts";
import type { MainResult } from "./main-result.ts";
import { formatNameWarning } from "./format-name-warning.ts";
import type { AnswerMedia } from "../plan/negotiate.ts";
import { formatPreferenceApplied } from "./format-preference-applied.ts";
import { type AnswerHeaders, applyHeadersSetting, readStatusSetting } from "./response-settings.ts";
import { buildBody } from "./build-body.ts";
import { notSingleError } from "./translate-database-error.ts";

export interface AnswerInput {
  readonly request: ParsedRequest;
  /** With or without the question mark, as it was sent. */
  readonly rawSearch: string;
  readonly media: AnswerMedia;
  readonly plan: Plan;
  readonly result: MainResult;
  /** The planner's estimate of the number of rows; null when it was not requested. */
  readonly estimate: number | null;
  readonly multipleSchemas: boolean;
  /** The row cap, whether or not it applied to this request. */
  readonly maxRows: number | null;
  readonly countCap: number;
  /** `Prefer: tx` is honoured. */
  readonly isRollbackAllowed: boolean;
}

/** The request headers that the representation depends on. */
const VARY = "Accept, Prefer, Range";

const NOT_JSON: ReadonlySet<BodyForm["kind"]> = new Set(["csv", "raw", "handler"]);

/** The row cap, when it cut off requested rows or rows of an embedded list. A read has status 206 then. */
const ROW_LIMIT_HEADER = "x-row-limit";

interface Draft {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly hasBody: boolean;
}

/** Builds the response from the result of the database. Throws when the rows do not fit the request. */
export function buildAnswer(input: AnswerInput): RestAnswer {
  const { request, media, plan, result } = input;
  // For a write the statement has checked it; here it could not be rolled back.
  if (media.body.kind === "object" && plan.kind !== "write" && result.rows !== 1) throw notSingleError(result.rows);

  const draft = draftAnswer(input);
  const { headers } = draft;
  headers["vary"] = VARY;
  const preferences = formatPreferenceApplied(request, plan, {
    isTxHonoured: input.isRollbackAllowed,
    isCountCapped: isCountCapped(input),
  });
  if (preferences !== null) headers["preference-applied"] = preferences;
  const warning = formatNameWarning(request.query);
  if (warning !== null) headers["warning"] = warning;
  if (draft.hasBody) addContentHeaders(headers, input);
  const status = readStatusSetting(result.status) ?? draft.status;
  const answered = applyHeadersSetting(headers, result.headers);
  const isSent = draft.hasBody && request.method !== "HEAD" && status !== 204 && status !== 205 && status !== 304;
  if (!isSent) return { status, headers: answered, body: null };
  const isJson = !NOT_JSON.has(media.body.kind);
  return { status, headers: answered, body: buildBody(media.body, result, isList(plan)), isJson };
}

/** Responds with an execution plan, as text or JSON of the database. */
export function buildExplainAnswer({ contentType }: AnswerMedia, { rows }: StatementResult): RestAnswer {
  const headers = { "content-type": contentType, vary: VARY };
  return { status: 200, headers, body: rows.map(([line]) => line ?? "").join("\n") };
}

function addContentHeaders(headers: AnswerHeaders, { request, media, multipleSchemas }: AnswerInput): void {
  headers["content-type"] = media.contentType;
  if (multipleSchemas || request.isProfileGiven) headers["content-profile"] = encodeProfile(request.schema);
}

/** Names of schemas may contain characters that headers may not. */
function encodeProfile(schema: string): string {
  return /^[\x20-\x7e]+$/.test(schema) ? schema : encodeURIComponent(schema);
}

function draftAnswer(input: AnswerInput): Draft {
  const { plan } = input;
  switch (plan.kind) {
    case "read":
      return draftRead(input);
    case "call":
      return draftCall(input, plan);
    case "write":
      return draftWrite(input, plan);
  }
}

function draftRead(input: AnswerInput): Draft {
  const { target } = input.request;
  const draft = draftWindow(input);
  const location = formatContentLocation(target.kind === "root" ? "" : target.name, input.rawSearch);
  if (location !== null) draft.headers["content-location"] = location;
  return draft;
}

function draftCall(input: AnswerInput, { call }: CallPlan): Draft {
  const draft = draftWindow(input);
  if (call.function.returns.kind === "void") return { ...draft, status: 204, hasBody: false };
  return { ...draft, hasBody: input.request.preferences.return !== "minimal" };
}

/** 206 when rows are known to be missing. Throws for a window beyond the last row. */
function draftWindow(input: AnswerInput): Draft {
  const { root } = input.request.query;
  // An empty window has no position, so its offset cannot be too large.
  const offset = root.limit === 0 || isSingleValue(input.plan) ? 0 : (root.offset ?? 0);
  const { rows, isCut } = input.result;
  const total = countTotal(input, offset);
  if (total !== null && rows === 0 && offset > total) {
    throw restError("PGRST103", "Requested range not satisfiable", {
      details: `An offset of ${offset} was requested, but there are ${isCountCapped(input) ? "fewer" : `only ${total}`} rows.`,
      headers: { "content-range": `*/${total}` },
    });
  }
  const headers: AnswerHeaders = { "content-range": formatContentRange(offset, rows, total) };
  if (isCut) headers[ROW_LIMIT_HEADER] = String(input.maxRows ?? rows);
  return { status: isCut || (total !== null && rows < total) ? 206 : 200, headers, hasBody: true };
}

/** The number of rows without the window, by the requested kind of count. Null means that it is unknown. */
function countTotal(input: AnswerInput, offset: number): number | null {
  const { plan, result, estimate, maxRows, countCap } = input;
  const { rows } = result;
  const total = result.total ?? rows;
  // An estimate is at least the number of rows that the response shows.
  const atLeastSeen = (guess: number): number => (rows === 0 ? guess : Math.max(guess, offset + rows));
  switch (plan.answer.count) {
    case null:
      return null;
    case "exact":
      return total;
    case "planned":
      return estimate === null ? null : atLeastSeen(estimate);
    case "estimated": {
      // The count stops one row after the cap; beyond it the estimate is used.
      const isCountCut = maxRows !== null && total > maxRows;
      return isCountCut ? atLeastSeen(Math.max(estimate ?? 0, total)) : total;
    }
    case "capped":
      return isCountCapped(input) ? atLeastSeen(countCap) : total;
  }
}

/** There are more rows than a capped count counts. */
function isCountCapped({ plan, result, countCap }: AnswerInput): boolean {
  return plan.answer.count === "capped" && (result.total ?? 0) > countCap;
}

/** A single result of a function is not wrapped in a list. */
function isList(plan: Plan): boolean {
  return plan.kind !== "call" || plan.call.function.returns.isSet;
}

/** No window applies to the scalar result of a function. */
function isSingleValue(plan: Plan): boolean {
  return !isList(plan) && plan.kind === "call" && plan.call.function.returns.kind !== "composite";
}

function draftWrite({ request, result, maxRows }: AnswerInput, { write }: WritePlan): Draft {
  const { count, return: shown } = request.preferences;
  const hasBody = shown === "representation";
  if (request.method === "PUT") return { status: putStatus(result, hasBody), headers: {}, hasBody };
  // Written rows are counted exactly, so an estimate does not apply.
  const total = count === "exact" || count === "estimated" ? result.rows : null;
  const rows = write.kind === "update" ? result.rows : 0;
  const headers: AnswerHeaders = { "content-range": formatContentRange(0, rows, total) };
  if (result.isCut) headers[ROW_LIMIT_HEADER] = String(maxRows);
  if (write.kind !== "insert") return { status: hasBody ? 200 : 204, headers, hasBody };
  const location = formatLocation(write.relation.name, result.location);
  if (location !== null) headers["location"] = location;
  const isMerge = write.conflict?.resolution === "merge";
  return { status: isMerge && result.inserted === 0 ? 200 : 201, headers, hasBody };
}

function putStatus({ inserted }: MainResult, hasBody: boolean): number {
  if (!hasBody) return 204;
  return (inserted ?? 0) > 0 ? 201 : 200;
}

/** `first-last/total`, with `*` for no rows or an unknown total. */
function formatContentRange(offset: number, rows: number, total: number | null): string {
  const range = rows > 0 && total !== 0 ? `${offset}-${offset + rows - 1}` : "*";
  return `${range}/${total ?? "*"}`;
}
