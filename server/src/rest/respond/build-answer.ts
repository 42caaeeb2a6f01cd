import type { StatementResult } from "../../db/index.ts";
import type { ParsedRequest } from "../parse/parsed-request.ts";
import type { CallPlan, Plan, WritePlan } from "../plan/plan.ts";
import type { MainRow } from "../read-results.ts";
import type { RestAnswer } from "../rest-call.ts";
import { decideWindowStatus, formatContentRange } from "./content-range.ts";
import { notSingleError } from "./count-errors.ts";
import { countTotal } from "./count-total.ts";
import { formatContentLocation, formatLocation } from "./locations.ts";
import { type MainResult, readMainResult } from "./main-result.ts";
import { formatNameWarning } from "./name-warning.ts";
import type { AnswerMedia } from "./negotiate.ts";
import { formatPreferenceApplied } from "./preference-applied.ts";
import { type AnswerHeaders, applyHeadersSetting, readStatusSetting } from "./response-settings.ts";

export interface AnswerInput {
  readonly request: ParsedRequest;
  /** With or without the question mark, as it was sent. */
  readonly rawSearch: string;
  readonly media: AnswerMedia;
  readonly plan: Plan;
  readonly results: MainRow;
  /** The planner's estimate of the number of rows; null when it was not requested. */
  readonly estimate: number | null;
  readonly multipleSchemas: boolean;
  /** The row cap, whether or not it applied to this request. */
  readonly maxRows: number | null;
  /** `Prefer: tx` is honoured. */
  readonly isRollbackAllowed: boolean;
}

/** The request headers that the representation depends on. */
const VARY = "Accept, Prefer, Range";

/** Sent with 206: the row cap, when it cut off requested rows. */
const ROW_LIMIT_HEADER = "x-row-limit";

interface Draft {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly hasBody: boolean;
}

/** Builds the response from the result of the database. Throws when the rows do not fit the request. */
export function buildAnswer(input: AnswerInput): RestAnswer {
  const { request, media, plan } = input;
  const result = readMainResult(input.results);
  // For a write the statement has checked it; here it could not be rolled back.
  if (media.body.kind === "object" && plan.kind !== "write" && result.rows !== 1) throw notSingleError(result.rows);

  const draft = draftAnswer(input, result);
  const { headers } = draft;
  headers["vary"] = VARY;
  const preferences = formatPreferenceApplied({ request, plan, isTxHonoured: input.isRollbackAllowed });
  if (preferences !== null) headers["preference-applied"] = preferences;
  const warning = formatNameWarning(request.query);
  if (warning !== null) headers["warning"] = warning;
  if (draft.hasBody) addContentHeaders(headers, input);
  const status = readStatusSetting(result.status) ?? draft.status;
  const answered = applyHeadersSetting(headers, result.headers);
  const isSent = draft.hasBody && request.method !== "HEAD" && status !== 204 && status !== 205 && status !== 304;
  return { status, headers: answered, body: isSent ? bodyOf(media, result) : null };
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

function draftAnswer(input: AnswerInput, result: MainResult): Draft {
  const { plan } = input;
  switch (plan.kind) {
    case "read":
      return draftRead(input, result);
    case "call":
      return draftCall(input, plan, result);
    case "write":
      return draftWrite(input, plan, result);
  }
}

function draftRead(input: AnswerInput, result: MainResult): Draft {
  const { request, rawSearch } = input;
  const { status, headers } = draftWindow(input, result);
  const name = request.target.kind === "root" ? "" : request.target.name;
  const location = formatContentLocation(name, rawSearch);
  if (location !== null) headers["content-location"] = location;
  return { status, headers, hasBody: true };
}

function draftCall(input: AnswerInput, { call }: CallPlan, result: MainResult): Draft {
  const { status, headers } = draftWindow(input, result);
  if (call.function.returns.kind === "void") return { status: 204, headers, hasBody: false };
  return { status, headers, hasBody: input.request.preferences.return !== "minimal" };
}

function draftWindow(input: AnswerInput, result: MainResult): { status: number; headers: AnswerHeaders } {
  const { request, plan, estimate, maxRows } = input;
  const { root } = request.query;
  // An empty window has no position, so its offset cannot be too large.
  const offset = root.limit === 0 ? 0 : (root.offset ?? 0);
  const { rows, isCut } = result;
  const total = countTotal({ plan, result, offset, estimate, maxRows });
  const status = decideWindowStatus({ offset, rows, total, isCut });
  const headers: AnswerHeaders = { "content-range": formatContentRange(offset, rows, total) };
  if (isCut) headers[ROW_LIMIT_HEADER] = String(maxRows ?? rows);
  return { status, headers };
}

function draftWrite({ request }: AnswerInput, { write }: WritePlan, result: MainResult): Draft {
  const { count, return: shown } = request.preferences;
  const hasBody = shown === "representation";
  // Written rows are counted exactly, so an estimate does not apply.
  const total = count === "exact" || count === "estimated" ? result.rows : null;
  switch (write.kind) {
    case "update": {
      const headers = { "content-range": formatContentRange(0, result.rows, total) };
      return { status: hasBody ? 200 : 204, headers, hasBody };
    }
    case "delete": {
      const headers = { "content-range": formatContentRange(0, 0, total) };
      return { status: hasBody ? 200 : 204, headers, hasBody };
    }
    case "insert": {
      if (request.method === "PUT") return { status: putStatus(result, hasBody), headers: {}, hasBody };
      const location = formatLocation(write.relation.name, result.location);
      const headers: AnswerHeaders = { "content-range": formatContentRange(0, 0, total) };
      if (location !== null) headers["location"] = location;
      const isMerge = write.conflict?.resolution === "merge";
      return { status: isMerge && result.inserted === 0 ? 200 : 201, headers, hasBody };
    }
  }
}

function putStatus({ inserted }: MainResult, hasBody: boolean): number {
  if (!hasBody) return 204;
  return (inserted ?? 0) > 0 ? 201 : 200;
}

function bodyOf({ body }: AnswerMedia, result: MainResult): string | Buffer {
  switch (body.kind) {
    case "raw":
      if (body.encoding === "text") return result.body ?? "";
      return Buffer.from(result.body?.replace(/^\\x/, "") ?? "", "hex");
    case "value":
    case "object":
      return result.body ?? "null";
    case "array":
    case "csv":
    case "geojson":
    case "none":
      return result.body ?? "";
  }
}
