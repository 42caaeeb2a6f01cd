import type { QualifiedName, Relation } from "../catalogue/catalogue.ts";
import type { ParsedRequest, RowsBody } from "../parse/parsed-request.ts";
import { foreignError, restError } from "../rest-error.ts";
import { isPlainEquality } from "../parse/filter.ts";
import { getRelation } from "./get-relation.ts";
import type { AnswerPlan, BodyRows, Conflict, Predicate, Write, WritePlan } from "./plan.ts";
import { planConditions } from "./plan-conditions.ts";
import type { PlanContext } from "./plan-context.ts";
import { planNode } from "./plan-read.ts";
import { getColumns } from "./write-columns.ts";

type PutKey = NonNullable<Extract<Write, { kind: "insert" }>["putKey"]>;

interface Planning {
  readonly request: ParsedRequest;
  readonly relation: Relation;
  readonly target: QualifiedName;
  readonly context: PlanContext;
}

/** Depends on the request shape alone; `checkWrite` validates the values of each request. */
export function planWrite(request: ParsedRequest, target: QualifiedName, context: PlanContext): WritePlan {
  const relation = getRelation(context.catalogue, target);
  const write = planChange({ request, relation, target, context });
  // Planned even when no rows are returned: a filter on a missing embed must be an error.
  const source = { kind: "written" } as const;
  const isNew = write.kind === "insert" && write.conflict === null;
  const shown = isNew ? (relation.inserted ?? relation) : relation;
  const node = planNode(request.query, { source, relation: shown, columns: relation.columns }, context);
  const isShown = request.preferences.return === "representation";
  return { kind: "write", write, shown: isShown ? node : null, answer: planAnswer(request, context, isShown) };
}

function planChange(planning: Planning): Write {
  const { method } = planning.request;
  switch (method) {
    case "POST":
      return planInsert(planning);
    case "PUT":
      return planPut(planning);
    case "PATCH":
      return planUpdate(planning);
    case "DELETE":
      return { kind: "delete", relation: planning.target, where: planWhere(planning, "DELETE") };
    case "GET":
    case "HEAD":
    case "OPTIONS":
      throw new Error(`${method} writes nothing`);
  }
}

function planInsert(planning: Planning): Write {
  const { request, relation, target } = planning;
  const body = bodyOf(request);
  const isLocated = request.preferences.return === "headers-only" && relation.primaryKey.length > 0;
  return {
    kind: "insert",
    relation: target,
    rows: planRows(planning, body, getSentNames(planning, body)),
    conflict: planConflict(planning),
    location: isLocated ? relation.primaryKey : null,
    putKey: null,
  };
}

/** Without a key no row can conflict. */
function planConflict({ request, relation }: Planning): Conflict | null {
  const { resolution } = request.preferences;
  const columns = request.query.onConflict ?? relation.primaryKey;
  if (resolution === null || columns.length === 0) return null;
  return { columns: [...new Set(columns)], resolution: resolution === "merge-duplicates" ? "merge" : "ignore" };
}

function planPut(planning: Planning): Write {
  const { request, relation, target } = planning;
  const putKey = planPutKey(planning);
  const body = bodyOf(request);
  return {
    kind: "insert",
    relation: target,
    // PUT replaces the whole row: `columns` and `missing=default` do not apply.
    rows: { ...planRows(planning, body, body.keys), shouldDefault: false },
    conflict: { columns: relation.primaryKey, resolution: "merge" },
    location: null,
    putKey,
  };
}

/** The filters of a PUT must be exactly the primary key. */
function planPutKey({ request, relation, context }: Planning): PutKey {
  const { conditions } = request.query.root;
  const filters = conditions.filter(isPlainEquality);
  const named = new Set(filters.map(({ field }) => field.name));
  const isKey = named.size === relation.primaryKey.length && relation.primaryKey.every((name) => named.has(name));
  if (named.size === 0 || !isKey || filters.length < conditions.length) {
    throw restError("PGRST105", "Filters must include all and only primary key columns with 'eq' operators");
  }
  return filters.flatMap(({ field, operation }) =>
    getColumns(relation, [field.name]).map((column) => ({ column, value: context.placeholders.operand(operation) })),
  );
}

function planUpdate(planning: Planning): Write {
  const { request, relation, target } = planning;
  const body = bodyOf(request);
  const names = getSentNames(planning, body);
  if (!body.isArray) {
    const where = planWhere(planning, "UPDATE");
    const rows = planRows(planning, body, names);
    const { isUnchangedReturned = false } = request;
    return { kind: "update", relation: target, rows, where, matchOn: null, isUnchangedReturned };
  }
  const where = planConditions(request.query.root.conditions, conditionScopeOf(planning));
  if (body.rows.length === 0) {
    return { kind: "update", relation: target, rows: planRows(planning, body, []), where, matchOn: null };
  }
  const key = relation.primaryKey;
  if (key.length === 0) {
    throw restError("PGRST102", `'${relation.name}' has no primary key, so a list cannot say which rows it changes`);
  }
  return { kind: "update", relation: target, rows: planRows(planning, body, [...key, ...names]), where, matchOn: key };
}

/** The columns to write, which must all exist, without those that are absent from every row. */
function getSentNames({ request, relation }: Planning, { keys, absent }: RowsBody): readonly string[] {
  const names = request.query.columns ?? keys;
  if (absent === undefined) return names;
  getColumns(relation, names);
  return names.filter((name) => !absent.everywhere.includes(name));
}

function planRows({ request, relation, context }: Planning, body: RowsBody, names: readonly string[]): BodyRows {
  const { isArray, source } = body;
  return {
    text: context.placeholders.body(),
    isArray,
    columns: getColumns(relation, names),
    shouldDefault: request.preferences.missing === "default",
    ...(body.absent !== undefined && { gaps: body.absent.somewhere }),
    ...(source !== "json" && { areTexts: true }),
  };
}

function planWhere(planning: Planning, verb: "UPDATE" | "DELETE"): readonly Predicate[] {
  const { conditions } = planning.request.query.root;
  if (conditions.length === 0) {
    throw foreignError({ code: "21000", status: 400 }, `${verb} requires a WHERE clause`, {});
  }
  return planConditions(conditions, conditionScopeOf(planning));
}

function conditionScopeOf({ relation, context }: Planning) {
  return { rows: { relation, columns: relation.columns }, placeholders: context.placeholders };
}

function bodyOf({ body }: ParsedRequest): RowsBody {
  if (body.kind !== "rows") throw new Error("a write has rows");
  return body;
}

function planAnswer({ method, preferences }: ParsedRequest, context: PlanContext, isShown: boolean): AnswerPlan {
  const { media, placeholders } = context;
  const isBounded = preferences.handling === "strict" && preferences.maxAffected !== null;
  return {
    body: isShown ? media.body : { kind: "none" },
    // Written rows are counted exactly, so no estimate is needed.
    count: preferences.count === "exact" || preferences.count === "estimated" ? "exact" : null,
    // A PUT writes one row; none means that the body does not match the filters.
    mustBeSingle: media.body.kind === "object" || method === "PUT",
    maxAffected: isBounded && (method === "PATCH" || method === "DELETE") ? placeholders.maxAffected() : null,
    isCapped: false,
    isCounted: true,
  };
}
