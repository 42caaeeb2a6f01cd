import { OPERATORS, toPattern } from "../../operators/index.ts";
import type {
  ArgumentPair,
  Condition,
  NodeShape,
  Operation,
  ParsedBody,
  ParsedRequest,
} from "../parse/parsed-request.ts";
import type { AnswerMedia } from "../respond/negotiate.ts";
import type { Slot } from "./plan.ts";
import {
  keyBody,
  keyCondition,
  keyMedia,
  keyNames,
  keyOrder,
  keyPreferences,
  keySelect,
  keyWord,
} from "./shape-key.ts";

/** A request as its shape and the values that were in it: requests of one shape share plan and statement. */
export interface Lifted {
  /** Everything that decides the plan, but for the catalogue, and nothing else. */
  readonly key: string;
  /** As PostgreSQL reads them. */
  readonly values: readonly (string | null)[];
  readonly slots: Slots;
  /** The row cap takes the place of the root's own limit, which is absent or larger. */
  readonly isCapped: boolean;
}

/** Where the value of each part of the request stands. Parts are known by identity; equal keys give equal slots. */
export interface Slots {
  operand(operation: Operation): Slot;
  /** Of a text search that names its configuration. */
  config(operation: Operation): Slot;
  /** Null: it has none. */
  limit(shape: NodeShape): Slot | null;
  offset(shape: NodeShape): Slot | null;
  /** Of an argument in the query, or of a pair of a form body, by its index. */
  argument(index: number): Slot;
  /** Of the text of the body; bytes for no text are written as `\x` and hex digits. */
  body(): Slot;
  maxAffected(): Slot;
  rowCap(): Slot;
  /** Null: counting is not capped. */
  countCap(): Slot | null;
}

/** What a value was taken from; null for the second of two. */
type Owner = Operation | NodeShape | ArgumentPair | "body" | "maxAffected" | "countCap" | null;

interface Lifting {
  readonly values: (string | null)[];
  readonly owners: Owner[];
}

export function liftValues(
  request: ParsedRequest,
  media: AnswerMedia,
  { maxRows }: { readonly maxRows: number | null },
): Lifted {
  const { query, target, method, preferences, body } = request;
  const lifting: Lifting = { values: [], owners: [] };
  const isRead = method === "GET" || method === "HEAD" || target.kind === "rpc";
  const cap = isRead && isBelow(maxRows, query.root.limit) ? maxRows : null;

  let key = `${method} ${target.kind}${target.kind === "root" ? "" : keyWord(target.name)}${keyWord(request.schema)}`;
  key += `${keyMedia(media)}${keyPreferences(preferences)}s${keySelect(query.select)}`;
  key += liftShape(lifting, query.root, cap);
  for (const { path, shape } of query.embeds) key += `e${keyNames(path)}${liftShape(lifting, shape, null)}`;
  if (query.columns !== null) key += `c${keyNames(query.columns)}`;
  if (query.onConflict !== null) key += `k${keyNames(query.onConflict)}`;
  for (const { pair } of query.args) {
    key += `a${keyWord(pair[0])}`;
    lift(lifting, pair, pair[1]);
  }
  if (body.kind !== "none") key += liftBody(lifting, body);
  if (request.isUnchangedReturned === true) key += "u";
  if (isRead && preferences.count === "estimated" && maxRows !== null) lift(lifting, "countCap", String(maxRows));
  if (preferences.maxAffected !== null) lift(lifting, "maxAffected", String(preferences.maxAffected));
  return { key, values: lifting.values, slots: slotsOf(request, lifting, cap !== null), isCapped: cap !== null };
}

function isBelow(maxRows: number | null, limit: number | null): maxRows is number {
  return maxRows !== null && (limit === null || limit > maxRows);
}

function lift({ values, owners }: Lifting, owner: Owner, value: string | null): void {
  values.push(value);
  owners.push(owner);
}

function liftShape(lifting: Lifting, shape: NodeShape, cap: number | null): string {
  let key = "";
  for (const condition of shape.conditions) {
    key += keyCondition(condition);
    liftCondition(lifting, condition);
  }
  for (const term of shape.order) key += keyOrder(term);
  const limit = cap ?? shape.limit;
  if (limit !== null) {
    key += cap === null ? "l" : "L";
    lift(lifting, shape, String(limit));
  }
  if (shape.offset !== null) {
    key += "o";
    lift(lifting, limit === null ? shape : null, String(shape.offset));
  }
  return `${key};`;
}

function liftCondition(lifting: Lifting, condition: Condition): void {
  if (condition.kind === "logic") {
    for (const inner of condition.conditions) liftCondition(lifting, inner);
    return;
  }
  const { operation } = condition;
  if (OPERATORS[operation.operator].operand === "state") return;
  lift(lifting, operation, operandText(operation));
  if (operation.config !== null) lift(lifting, null, operation.config);
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

function liftBody(lifting: Lifting, body: ParsedBody): string {
  switch (body.kind) {
    case "rows":
    case "json":
      lift(lifting, "body", body.text);
      break;
    case "raw":
      lift(lifting, "body", rawText(body.type, body.bytes));
      break;
    case "form":
      for (const pair of body.pairs) lift(lifting, pair, pair[1]);
      break;
    case "none":
      break;
  }
  return keyBody(body);
}

function rawText(type: string, bytes: Buffer): string {
  return type === "application/octet-stream" ? `\\x${bytes.toString("hex")}` : bytes.toString("utf8");
}

/** Only planning asks, and most requests are of a shape that is planned already: the index waits until then. */
function slotsOf({ query, body }: ParsedRequest, { owners }: Lifting, isCapped: boolean): Slots {
  let index: ReadonlyMap<Owner, Slot> | null = null;
  const get = (owner: Owner | undefined): Slot => {
    index ??= new Map(owners.map((known, slot) => [known, slot]));
    const slot = owner === undefined ? undefined : index.get(owner);
    if (slot === undefined) throw new Error("a value was asked for that the request does not hold");
    return slot;
  };
  const hasLimit = (shape: NodeShape): boolean => shape.limit !== null || (isCapped && shape === query.root);
  return {
    operand: get,
    config: (operation) => get(operation) + 1,
    limit: (shape) => (hasLimit(shape) ? get(shape) : null),
    offset: (shape) => (shape.offset === null ? null : get(shape) + (hasLimit(shape) ? 1 : 0)),
    argument: (at) => get(body.kind === "form" ? body.pairs[at] : query.args[at]?.pair),
    body: () => get("body"),
    maxAffected: () => get("maxAffected"),
    rowCap: () => get(query.root),
    countCap: () => (owners.includes("countCap") ? get("countCap") : null),
  };
}
