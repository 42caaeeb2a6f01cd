import type { Principal } from "../db/index.ts";
import type { ParsedRequest } from "./parse/parsed-request.ts";
import type { ReadAttempt, WriteAttempt } from "./table-rules.ts";

/** Describes for the table rules what a request does to a relation. Null for a function call. */
export function attemptOf(
  request: ParsedRequest,
  { role, userId }: Pick<Principal, "role" | "userId">,
): ReadAttempt | WriteAttempt | null {
  const { target, schema, method, query, body, preferences } = request;
  if (target.kind !== "relation") return null;
  const subject = {
    relation: { schema, name: target.name },
    pinnedId: findPinnedId(request),
    principal: { role, userId },
  };
  const written = body.kind === "rows" ? body : null;
  const rows = written?.rows ?? [];
  const columns = query.columns ?? written?.keys ?? [];
  const isArray = written?.isArray ?? false;
  const source = written?.source ?? "json";
  switch (method) {
    case "GET":
    case "HEAD":
    case "OPTIONS":
      return subject;
    case "POST": {
      const operation = preferences.resolution === null ? "insert" : "upsert";
      return { ...subject, operation, rows, columns, source, isArray };
    }
    case "PUT":
      return { ...subject, operation: "upsert", rows, columns, source, isArray };
    case "PATCH":
      return { ...subject, operation: "update", rows, columns, source, isArray };
    case "DELETE":
      return { ...subject, operation: "delete", rows: [], columns: [], source, isArray };
  }
}

export function isWriteAttempt(attempt: ReadAttempt | WriteAttempt): attempt is WriteAttempt {
  return "operation" in attempt;
}

/** The value of the only filter, when that is `id=eq.…`. */
function findPinnedId({ query }: ParsedRequest): string | null {
  const [only, ...others] = query.root.conditions;
  if (
    only?.kind !== "filter" ||
    others.length > 0 ||
    query.embeds.some(({ modifiers }) => modifiers.conditions.length > 0)
  ) {
    return null;
  }
  const { field, operation } = only;
  const isPinning =
    field.name === "id" &&
    field.path.length === 0 &&
    operation.operator === "eq" &&
    !operation.isNegated &&
    operation.quantifier === null;
  return isPinning && typeof operation.value === "string" ? operation.value : null;
}
