import { NO_SETTINGS } from "../../../src/rest/catalogue/build-settings.ts";
import type {
  Column,
  DataType,
  FunctionEntry,
  FunctionResult,
  Relation,
} from "../../../src/rest/catalogue/catalogue.ts";
import type { TypeCategory } from "../../../src/rest/catalogue/type-category.ts";
import type { RequestInput } from "../../../src/rest/index.ts";
import type { AnswerPlan, CallPlan, Plan, ReadNode, ReadPlan, Write, WritePlan } from "../../../src/rest/plan/plan.ts";
import { type AnswerInput, buildAnswer } from "../../../src/rest/respond/build-answer.ts";
import type { MainResult } from "../../../src/rest/respond/main-result.ts";
import { negotiate } from "../../../src/rest/plan/negotiate.ts";
import { parse } from "./parsing.ts";

export function dataType(label: string, category: TypeCategory, rest: Partial<DataType> = {}): DataType {
  const usual = { name: label, elementCategory: null, isDomain: false, enumValues: [], rowOf: null };
  return { ...usual, label, category, ...rest };
}

export const TEXT = dataType("text", "text");
export const INTEGER = dataType("integer", "number");

export function column(name: string, type: DataType, rest: Partial<Column> = {}): Column {
  return {
    name,
    type,
    declaredType: type.label,
    isNullable: true,
    hasDefault: false,
    default: null,
    identity: null,
    isGenerated: false,
    isWritable: true,
    maxLength: null,
    comment: null,
    ...rest,
  };
}

export function relation(name: string, columns: readonly Column[], rest: Partial<Relation> = {}): Relation {
  return {
    schema: "public",
    name,
    kind: "table",
    isView: false,
    comment: null,
    columns: new Map(columns.map((one) => [one.name, one])),
    primaryKey: [],
    keys: [],
    foreignKeys: [],
    computedFields: new Map(),
    computedRelationships: new Map(),
    isInsertable: true,
    isUpdatable: true,
    isDeletable: true,
    ...rest,
  };
}

export function functionEntry(name: string, rest: Partial<FunctionEntry> = {}): FunctionEntry {
  return {
    schema: "public",
    name,
    parameters: [],
    hasVariadic: false,
    unnamedBody: null,
    returns: functionResult("scalar", TEXT),
    volatility: "volatile",
    isForUsers: true,
    rows: 0,
    settings: NO_SETTINGS,
    comment: null,
    ...rest,
  };
}

export function functionResult(kind: FunctionResult["kind"], type: DataType, isSet = false): FunctionResult {
  return { kind, isSet, type, rowOf: null, columns: null };
}

const NODE: ReadNode = {
  source: { kind: "relation", relation: { schema: "public", name: "things" } },
  outputs: [{ kind: "star" }],
  where: [],
  order: [],
  limit: null,
  offset: null,
  isAggregated: false,
};

const ANSWER: AnswerPlan = {
  body: { kind: "array", hasNulls: true },
  count: null,
  mustBeSingle: false,
  maxAffected: null,
  isCapped: false,
};

export function readPlan(answer: Partial<AnswerPlan> = {}): ReadPlan {
  return { kind: "read", root: NODE, answer: { ...ANSWER, ...answer } };
}

export function writePlan(write: Write, answer: Partial<AnswerPlan> = {}): WritePlan {
  return { kind: "write", write, shown: null, answer: { ...ANSWER, ...answer } };
}

export function callPlan(returns: FunctionResult, answer: Partial<AnswerPlan> = {}): CallPlan {
  const call = { function: functionEntry("act", { returns }), arguments: { kind: "none" }, mayWrite: true } as const;
  return { kind: "call", call, shown: null, answer: { ...ANSWER, ...answer } };
}

const THINGS = { schema: "public", name: "things" };
const ROWS = { text: 0, isArray: false, columns: [], shouldDefault: false };

export const INSERT: Write & { kind: "insert" } = {
  kind: "insert",
  relation: THINGS,
  rows: ROWS,
  conflict: null,
  location: null,
  putKey: null,
};
export const UPDATE: Write = { kind: "update", relation: THINGS, rows: ROWS, where: [], matchOn: null };
export const DELETE: Write = { kind: "delete", relation: THINGS, where: [] };

const RESULT: MainResult = {
  parts: [],
  rows: 0,
  total: null,
  isCut: false,
  status: null,
  headers: null,
  location: null,
  inserted: null,
  csvHeader: null,
};

/** The response to a request, for a plan and a result of the database. */
export function answerTo(
  input: Partial<RequestInput>,
  plan: Plan,
  result: Partial<MainResult> = {},
  rest: Partial<AnswerInput> = {},
) {
  const request = parse(input);
  const functionResult = plan.kind === "call" ? plan.call.function.returns : null;
  return buildAnswer({
    request,
    rawSearch: input.search ?? "",
    media: negotiate(request, { isPlanEnabled: false, functionResult }),
    plan,
    result: { ...RESULT, ...result },
    estimate: null,
    multipleSchemas: false,
    maxRows: null,
    countCap: 100,
    isRollbackAllowed: false,
    ...rest,
  });
}
