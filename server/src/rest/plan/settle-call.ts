import type { FunctionEntry } from "../catalogue/catalogue.ts";
import type { ArgumentPair, ParsedQuery, ParsedRequest, RowsBody } from "../parse/parsed-request.ts";
import { restError } from "../rest-error.ts";
import { takesNames } from "./find-function.ts";

/**
 * Resolves what depends on the function: each pair is either an argument or a filter, each argument occurs once, and a variadic
 * argument is an array literal. Done before the values are replaced by placeholders, because some of it depends on them.
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
  // A pair that parses as a filter is one, unless the function requires it as an argument.
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

/** The last value of a repeated name counts; a variadic parameter takes all values. */
function mergePairs(pairs: readonly ArgumentPair[], { parameters }: FunctionEntry): readonly ArgumentPair[] {
  const merged = new Map(pairs.map((pair) => [pair[0], pair]));
  const variadic = parameters.find(({ name, isVariadic }) => isVariadic && merged.has(name));
  if (variadic !== undefined) {
    const values = pairs.filter(([name]) => name === variadic.name).map(([, value]) => value);
    merged.set(variadic.name, [variadic.name, arrayLiteral(values)]);
  }
  return [...merged.values()];
}

/** Some clients send one array literal, `{1,2}`, others repeat the name. */
function arrayLiteral(values: readonly string[]): string {
  const [first = ""] = values;
  if (values.length === 1 && first.startsWith("{") && first.endsWith("}")) return first;
  return `{${values.map((value) => `"${value.replace(/["\\]/g, "\\$&")}"`).join(",")}}`;
}

/** A call takes one line of a CSV body. */
function takeOneRow(body: RowsBody): RowsBody {
  const [row] = body.rows;
  if (row === undefined || body.rows.length > 1) throw restError("PGRST102", "A function takes one line of arguments");
  return { ...body, text: JSON.stringify(row), isArray: false };
}
