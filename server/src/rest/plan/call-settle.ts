import type { FunctionEntry } from "../catalogue/catalogue.ts";
import type { ArgumentPair, ParsedQuery, ParsedRequest, RowsBody } from "../parse/parsed-request.ts";
import { restError } from "../rest-error.ts";
import { takesNames } from "./find-function.ts";

/**
 * The request as it reads once the function is known: no pair is both an argument and a filter, each argument is there
 * once, and a variadic one is an array literal. Values decide some of this, so it is done before they are parameterised out.
 */
export function settleCall(request: ParsedRequest, called: FunctionEntry): ParsedRequest {
  const { body, query } = request;
  switch (body.kind) {
    case "none":
      return query.args.length === 0 ? request : { ...request, query: settleQuery(query, called) };
    case "form":
      return { ...request, body: { kind: "form", pairs: mergePairs(body.pairs, called) } };
    case "rows":
      return body.isArray ? { ...request, body: takeOneRow(body) } : request;
    case "json":
    case "raw":
      return request;
  }
}

function settleQuery(query: ParsedQuery, called: FunctionEntry): ParsedQuery {
  const plain = new Set(query.args.filter(({ filter }) => filter === null).map(({ pair }) => pair[0]));
  const parameters = new Set(called.parameters.map(({ name }) => name));
  // What reads as a filter is one, unless the function could not be called without it.
  const isNeeded = !takesNames(called, plain);
  const pairs: ArgumentPair[] = [];
  const dropped = new Set<unknown>();
  for (const { pair, filter } of query.args) {
    if (filter === null) pairs.push(pair);
    else if (filter !== "of an embed" && isNeeded && parameters.has(pair[0])) {
      pairs.push(pair);
      dropped.add(filter);
    }
  }
  const conditions = query.root.conditions.filter((condition) => !dropped.has(condition));
  const args = mergePairs(pairs, called).map((pair) => ({ pair, filter: null }));
  return { ...query, args, root: { ...query.root, conditions } };
}

/** Of a name that repeats the last counts, but a variadic parameter takes all. */
function mergePairs(pairs: readonly ArgumentPair[], { parameters }: FunctionEntry): readonly ArgumentPair[] {
  const merged = new Map(pairs.map((pair) => [pair[0], pair]));
  const variadic = parameters.find(({ name, isVariadic }) => isVariadic && merged.has(name));
  if (variadic !== undefined) {
    const values = pairs.filter(([name]) => name === variadic.name).map(([, value]) => value);
    merged.set(variadic.name, [variadic.name, arrayLiteral(values)]);
  }
  return [...merged.values()];
}

/** Clients that know lists write a whole one, `{1,2}`, where others repeat the name. */
function arrayLiteral(values: readonly string[]): string {
  const [first = ""] = values;
  if (values.length === 1 && first.startsWith("{") && first.endsWith("}")) return first;
  return `{${values.map((value) => `"${value.replace(/["\\]/g, "\\$&")}"`).join(",")}}`;
}

/** Lines of CSV are rows, of which a call takes one. */
function takeOneRow(body: RowsBody): RowsBody {
  const [row] = body.rows;
  if (row === undefined || body.rows.length > 1) throw restError("PGRST102", "A function takes one line of arguments");
  return { ...body, text: JSON.stringify(row), isArray: false };
}
