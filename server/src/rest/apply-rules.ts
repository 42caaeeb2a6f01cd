import { isWriteAttempt } from "./attempt.ts";
import type { QualifiedName } from "./catalogue/catalogue.ts";
import type { AbsentKeys, ParsedRequest } from "./parse/parsed-request.ts";
import type { RestOptions } from "./rest-options.ts";
import type { ReadAttempt, RewrittenRows, WriteAttempt } from "./table-rules.ts";

/** Applies the rules of the table to a request. Throws when they reject it. */
export function applyRules(
  request: ParsedRequest,
  attempt: ReadAttempt | WriteAttempt | null,
  { rules, isOwn }: Pick<RestOptions, "rules" | "isOwn">,
): ParsedRequest {
  const { body, query } = request;
  if (attempt === null || !isWriteAttempt(attempt) || body.kind !== "rows") return request;
  const rewritten = rules.beforeWrite(attempt);
  const isPinned = attempt.operation === "update" && attempt.pinnedId !== null;
  const isUnchangedReturned = isPinned && rules.isUnchangedRowReturned(attempt.relation);
  const { rows, columns } = rewritten ?? attempt;
  const absent = canLackKeys(request, attempt.relation, { isOwn, isRewritten: rewritten !== null })
    ? findAbsentKeys({ rows, columns })
    : null;
  if (rewritten === null && absent === null) return isUnchangedReturned ? { ...request, isUnchangedReturned } : request;
  // The original text keeps digits that JavaScript numbers lose.
  const text = rows === attempt.rows ? body.text : JSON.stringify(body.isArray ? rows : (rows[0] ?? {}));
  const written = { ...body, rows, keys: columns, text, ...(absent !== null && { absent }) };
  return { ...request, isUnchangedReturned, query: { ...query, columns }, body: written };
}

/** Only with `columns`, or when rules have filled in some, can rows differ in their keys. In tables that are not part of the service an absent key is null, as in PostgREST. */
function canLackKeys(
  { method, query, preferences }: ParsedRequest,
  { schema, name }: QualifiedName,
  { isOwn, isRewritten }: Pick<RestOptions, "isOwn"> & { readonly isRewritten: boolean },
): boolean {
  if ((query.columns === null && !isRewritten) || method === "PUT" || preferences.missing === "default") return false;
  return isOwn({ kind: "relation", schema, name });
}

/** Null when every row has all columns. */
function findAbsentKeys({ rows, columns }: RewrittenRows): AbsentKeys | null {
  const everywhere: string[] = [];
  const somewhere: string[] = [];
  for (const column of columns) {
    const count = rows.filter((row) => !Object.hasOwn(row, column)).length;
    if (count > 0) (count === rows.length ? everywhere : somewhere).push(column);
  }
  return everywhere.length + somewhere.length === 0 ? null : { everywhere, somewhere };
}
