import { OPERATORS, toPattern } from "../../operators/index.ts";
import type {
  ArgumentPair,
  Condition,
  NodeModifiers,
  Operation,
  ParsedBody,
  ParsedRequest,
} from "../parse/parsed-request.ts";
import type { AnswerMedia } from "./negotiate.ts";
import type { Placeholder } from "./plan.ts";
import {
  keyBody,
  keyCondition,
  keyMedia,
  keyNames,
  keyOrder,
  keyPreferences,
  keySelect,
  keyWord,
} from "./request-shape-key.ts";

/** A request split into its shape and its values. Requests of one shape share plan and statement. */
export interface ParameterisedRequest {
  /** Contains exactly what the plan depends on, except for the catalogue. */
  readonly key: string;
  /** As PostgreSQL's text input. */
  readonly values: readonly (string | null)[];
  readonly placeholders: Placeholders;
  /** The row cap replaces the limit of the root, which is absent or larger. */
  readonly isCapped: boolean;
}

/** Maps parts of the request, by identity, to the index of their value. Equal keys give equal placeholders. */
export interface Placeholders {
  operand(operation: Operation): Placeholder;
  /** Of a text search with a configuration. */
  config(operation: Operation): Placeholder;
  /** Returns null when it has none, or the row cap replaces it. */
  limit(modifiers: NodeModifiers): Placeholder | null;
  offset(modifiers: NodeModifiers): Placeholder | null;
  /** Of an argument in the query, or of a pair of a form body, by its index. */
  argument(index: number): Placeholder;
  /** Of the text of the body; binary bodies are written as `\x` and hex digits. */
  body(): Placeholder;
  maxAffected(): Placeholder;
}

/** The part of the request that a value belongs to; null for limits and for the second value of a part. */
type Owner = Operation | NodeModifiers | ArgumentPair | "body" | "maxAffected" | null;

interface ParameterList {
  readonly values: (string | null)[];
  readonly owners: Owner[];
  /** Limits that are not replaced by the row cap. */
  readonly limits: Map<NodeModifiers, Placeholder>;
}

interface ParameteriseOptions {
  /** A larger limit, and the absence of one, is replaced by the row cap; null means that there is no cap. */
  readonly maxRows: number | null;
  /** Planned and estimated counts are counted up to the count cap. */
  readonly isCountCapped?: boolean;
}

export function parameteriseRequest(
  request: ParsedRequest,
  media: AnswerMedia,
  { maxRows, isCountCapped = false }: ParameteriseOptions,
): ParameterisedRequest {
  const { query, target, method, preferences, body } = request;
  const list: ParameterList = { values: [], owners: [], limits: new Map() };
  const isRead = method === "GET" || method === "HEAD" || target.kind === "rpc";
  const isCapped = isRead && maxRows !== null && (query.root.limit ?? Infinity) > maxRows;
  const maxRootRows = isRead ? maxRows : null;

  let key = `${method} ${target.kind}${target.kind === "root" ? "" : keyWord(target.name)}${keyWord(request.schema)}`;
  key += `${keyMedia(media)}${keyPreferences(preferences)}s${keySelect(query.select)}`;
  key += `${isCapped ? "L" : ""}${isCountCapped && preferences.count !== null ? "C" : ""}${parameteriseNode(list, query.root, maxRootRows)}`;
  for (const { path, modifiers } of query.embeds)
    key += `e${keyNames(path)}${parameteriseNode(list, modifiers, maxRows)}`;
  if (query.columns !== null) key += `c${keyNames(query.columns)}`;
  if (query.onConflict !== null) key += `k${keyNames(query.onConflict)}`;
  for (const { pair } of query.args) {
    key += `a${keyWord(pair[0])}`;
    add(list, pair, pair[1]);
  }
  if (body.kind !== "none") key += parameteriseBody(list, body);
  if (request.isUnchangedReturned === true) key += "u";
  if (preferences.maxAffected !== null) add(list, "maxAffected", String(preferences.maxAffected));
  return { key, values: list.values, placeholders: placeholdersOf(request, list), isCapped };
}

function add({ values, owners }: ParameterList, owner: Owner, value: string | null): void {
  values.push(value);
  owners.push(owner);
}

function parameteriseNode(list: ParameterList, modifiers: NodeModifiers, maxRows: number | null): string {
  let key = "";
  for (const condition of modifiers.conditions) {
    key += keyCondition(condition);
    parameteriseCondition(list, condition);
  }
  for (const term of modifiers.order) key += keyOrder(term);
  const { limit, offset } = modifiers;
  if (limit !== null && limit <= (maxRows ?? Infinity)) {
    key += "l";
    list.limits.set(modifiers, list.values.length);
    add(list, null, String(limit));
  }
  if (offset !== null) {
    key += "o";
    add(list, modifiers, String(offset));
  }
  return `${key};`;
}

function parameteriseCondition(list: ParameterList, condition: Condition): void {
  if (condition.kind === "logic") {
    for (const inner of condition.conditions) parameteriseCondition(list, inner);
    return;
  }
  const { operation } = condition;
  if (OPERATORS[operation.operator].operand === "state") return;
  add(list, operation, operandText(operation));
  if (operation.config !== null) add(list, null, operation.config);
}

function operandText({ operator, value }: Operation): string {
  if (typeof value !== "string") return arrayLiteral(value);
  return OPERATORS[operator].operand === "pattern" ? toPattern(value) : value;
}

function arrayLiteral(elements: readonly string[]): string {
  let text = "{";
  for (const element of elements) {
    if (text.length > 1) text += ",";
    text += `"${element.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
  }
  return `${text}}`;
}

function parameteriseBody(list: ParameterList, body: ParsedBody): string {
  switch (body.kind) {
    case "rows":
    case "json":
      add(list, "body", body.text);
      break;
    case "raw":
      add(list, "body", rawText(body.type, body.bytes));
      break;
    case "form":
      for (const pair of body.pairs) add(list, pair, pair[1]);
      break;
    case "none":
      break;
  }
  return keyBody(body);
}

function rawText(type: string, bytes: Buffer): string {
  return type === "application/octet-stream" ? `\\x${bytes.toString("hex")}` : bytes.toString("utf8");
}

/** The index is built on first use: most requests have a cached plan and never need it. */
function placeholdersOf({ query, body }: ParsedRequest, { owners, limits }: ParameterList): Placeholders {
  let index: ReadonlyMap<Owner, Placeholder> | null = null;
  const get = (owner: Owner | undefined): Placeholder => {
    index ??= new Map(owners.map((known, placeholder) => [known, placeholder]));
    const placeholder = owner === undefined ? undefined : index.get(owner);
    if (placeholder === undefined) throw new Error("the request has no such value");
    return placeholder;
  };
  return {
    operand: get,
    config: (operation) => get(operation) + 1,
    limit: (modifiers) => limits.get(modifiers) ?? null,
    offset: (modifiers) => (modifiers.offset === null ? null : get(modifiers)),
    argument: (index) => get(body.kind === "form" ? body.pairs[index] : query.args[index]?.pair),
    body: () => get("body"),
    maxAffected: () => get("maxAffected"),
  };
}
