import type { Principal } from "../db/index.ts";
import { isPlainEquality } from "./parse/filter.ts";
import type { Method, ParsedRequest } from "./parse/parsed-request.ts";
import type { ReadAttempt, WriteAttempt } from "./table-rules.ts";

const OPERATIONS: Readonly<Partial<Record<Method, WriteAttempt["operation"]>>> = {
  POST: "insert",
  PUT: "upsert",
  PATCH: "update",
  DELETE: "delete",
};

/** Describes for the table rules what a request does to a relation. Null for a function call. */
export function attemptOf(
  request: ParsedRequest,
  { role, userId }: Pick<Principal, "role" | "userId">,
): ReadAttempt | WriteAttempt | null {
  const { target, schema, method, query, body, preferences } = request;
  if (target.kind !== "relation") return null;
  const relation = { schema, name: target.name };
  const subject = { relation, pinnedId: findPinnedId(request), principal: { role, userId } };
  const operation = OPERATIONS[method];
  if (operation === undefined) return subject;
  if (body.kind !== "rows") return { ...subject, operation, rows: [], columns: [], source: "json", isArray: false };
  const { rows, keys, source, isArray } = body;
  const isUpsert = method === "POST" && preferences.resolution !== null;
  const columns = query.columns ?? keys;
  return { ...subject, operation: isUpsert ? "upsert" : operation, rows, columns, source, isArray };
}

export function isWriteAttempt(attempt: ReadAttempt | WriteAttempt): attempt is WriteAttempt {
  return "operation" in attempt;
}

/** The value of the only filter, when that is `id=eq.…`. */
function findPinnedId({ query }: ParsedRequest): string | null {
  const [only, ...others] = query.root.conditions;
  const isAlone = others.length === 0 && query.embeds.every(({ modifiers }) => modifiers.conditions.length === 0);
  if (only === undefined || !isAlone || !isPlainEquality(only) || only.field.name !== "id") return null;
  const { value } = only.operation;
  return typeof value === "string" ? value : null;
}
