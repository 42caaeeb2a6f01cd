import { AppError } from "../../errors/index.ts";
import { restError } from "../rest-error.ts";
import { BOUNDS } from "./bounds.ts";
import { decodeFormText, undecodableError } from "./decode-text.ts";
import { parseField, parseJsonPath } from "./field.ts";
import { parseFilter, type PlacedFilter } from "./filter.ts";
import { parseDottedNames, parseName, parseNameList } from "./names.ts";
import { parseLogic } from "./parse-logic.ts";
import { parseSelect } from "./parse-select.ts";
import type {
  ArgumentPair,
  Condition,
  EmbedModifiers,
  NodeModifiers,
  OrderTerm,
  ParsedQuery,
  QueryArgument,
  SelectItem,
} from "./parsed-request.ts";
import { checkLimit, parseCount } from "./row-window.ts";
import {
  createParameterScanner,
  createScanner,
  expect,
  expectEnd,
  fail,
  isAtEnd,
  peek,
  reject,
  type Scanner,
  skipBlanks,
  take,
} from "./scanner.ts";

const DIRECTIONS = { asc: "asc", desc: "desc" } as const;

const NULLS = { nullsfirst: "first", nullslast: "last" } as const;

interface ModifiersDraft {
  readonly path: readonly string[];
  readonly conditions: Condition[];
  readonly order: OrderTerm[];
  limit: number | null;
  offset: number | null;
}

interface QueryDraft {
  readonly modifiers: Map<string, ModifiersDraft>;
  readonly args: QueryArgument[];
  conditionCount: number;
  select: readonly SelectItem[] | null;
  columns: readonly string[] | null;
  onConflict: readonly string[] | null;
}

const WHOLE_TABLE: readonly SelectItem[] = [{ kind: "star" }];

/**
 * Parses a query string. Repeated parameters accumulate, except `select`, `columns` and `on_conflict`, of which the first counts.
 * With `hasArguments`, parameters may be arguments of a function, which need not parse as filters.
 */
export function parseQuery(search: string, hasArguments: boolean): ParsedQuery {
  const query: QueryDraft = {
    modifiers: new Map(),
    args: [],
    conditionCount: 0,
    select: null,
    columns: null,
    onConflict: null,
  };
  for (const pair of parseQueryPairs(search)) addParameter(query, pair, hasArguments);

  const { select, columns, onConflict, args } = query;
  const root = finishModifiers(modifiersAt(query, []));
  const embeds: EmbedModifiers[] = [];
  for (const modifiers of query.modifiers.values()) {
    if (modifiers.path.length > 0) embeds.push({ path: modifiers.path, modifiers: finishModifiers(modifiers) });
  }
  return { select: select ?? WHOLE_TABLE, root, embeds, columns, onConflict, args };
}

function addParameter(query: QueryDraft, pair: ArgumentPair, hasArguments: boolean): void {
  const [key, value] = pair;
  switch (key) {
    case "select":
      query.select ??= parseSelect(value);
      return;
    case "columns":
      query.columns ??= parseNameList(createParameterScanner("columns", value));
      return;
    case "on_conflict":
      query.onConflict ??= parseNameList(createParameterScanner("on_conflict", value));
      return;
    default:
      addPlacedParameter(query, pair, hasArguments);
  }
}

/** Parameters that may be prefixed with the path of an embed; the last name determines the parameter. */
function addPlacedParameter(query: QueryDraft, pair: ArgumentPair, hasArguments: boolean): void {
  const [key, value] = pair;
  switch (key.slice(key.lastIndexOf(".") + 1)) {
    case "order":
      addOrder(query, pair);
      return;
    case "limit":
      modifiersAt(query, parsePath(key)).limit = checkLimit(parseCount(value));
      return;
    case "offset":
      modifiersAt(query, parsePath(key)).offset = parseOffset(value);
      return;
    case "and":
    case "or":
      addLogic(query, pair);
      return;
    default:
      addFilter(query, pair, hasArguments);
  }
}

function addFilter(query: QueryDraft, pair: ArgumentPair, hasArguments: boolean): void {
  const placed = hasArguments ? tryFilter(pair) : parseFilter(...pair);
  if (placed !== null) addCondition(query, placed.path, placed.filter);
  if (!hasArguments) return;
  const filter = placed === null || placed.path.length === 0 ? (placed?.filter ?? null) : "of an embed";
  query.args.push({ pair, filter });
}

function addOrder(query: QueryDraft, [key, value]: ArgumentPair): void {
  const { order } = modifiersAt(query, parsePath(key));
  order.push(...parseOrder(value));
  if (order.length > BOUNDS.orderTerms) throw excessError(`it has more than ${BOUNDS.orderTerms} order terms`);
}

function addLogic(query: QueryDraft, [key, value]: ArgumentPair): void {
  const names = parseKeyNames("logic path", key);
  const operator = names.pop() === "or" ? "or" : "and";
  const path = names.filter((name) => name !== "not");
  const isNegated = path.length < names.length;
  addCondition(query, path, parseLogic(value, { operator, isNegated }));
}

function addCondition(query: QueryDraft, path: readonly string[], condition: Condition): void {
  query.conditionCount += countFilters(condition);
  if (query.conditionCount > BOUNDS.conditions) throw excessError(`it has more than ${BOUNDS.conditions} conditions`);
  modifiersAt(query, path).conditions.push(condition);
}

function countFilters(condition: Condition): number {
  if (condition.kind === "filter") return 1;
  return condition.conditions.reduce((count, inner) => count + countFilters(inner), 0);
}

/** Null for an argument that does not parse as a filter. */
function tryFilter([key, value]: ArgumentPair): PlacedFilter | null {
  if (!value.includes(".")) return null;
  try {
    return parseFilter(key, value);
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

/** The path of a key such as `a.b.order`, without its last name. */
function parsePath(key: string): string[] {
  return parseKeyNames("tree path", key).slice(0, -1);
}

function parseKeyNames(subject: string, key: string): string[] {
  const scanner = createScanner(subject, key);
  const names = parseDottedNames(scanner);
  expectEnd(scanner, 'letter, digit, "-", delimiter (.) or end of input');
  return names;
}

/** As in PostgREST, a negative offset is zero. */
function parseOffset(text: string): number | null {
  const offset = parseCount(text);
  return offset === null ? null : Math.max(offset, 0);
}

function modifiersAt(query: QueryDraft, path: readonly string[]): ModifiersDraft {
  const key = path.length === 0 ? "" : JSON.stringify(path);
  const known = query.modifiers.get(key);
  if (known !== undefined) return known;
  const modifiers: ModifiersDraft = { path, conditions: [], order: [], limit: null, offset: null };
  query.modifiers.set(key, modifiers);
  return modifiers;
}

function finishModifiers({ conditions, order, limit, offset }: ModifiersDraft): NodeModifiers {
  return { conditions, order, limit, offset };
}

/** The parameters of a query string, decoded and in order. Those without `=` are ignored. */
function parseQueryPairs(search: string): ArgumentPair[] {
  const text = search.startsWith("?") ? search.slice(1) : search;
  if (text.length > BOUNDS.queryLength) throw excessError(`it is longer than ${BOUNDS.queryLength} characters`);
  const pairs: ArgumentPair[] = [];
  for (const part of text.split("&")) {
    const equals = part.indexOf("=");
    if (equals === -1) continue;
    const name = decodeFormText(part.slice(0, equals));
    const value = decodeFormText(part.slice(equals + 1));
    if (name === null || value === null) throw undecodableError("query string");
    pairs.push([name, value]);
    if (pairs.length > BOUNDS.parameters) throw excessError(`it has more than ${BOUNDS.parameters} parameters`);
  }
  return pairs;
}

/** For a query string that is well-formed but exceeds a bound. */
function excessError(details: string): AppError {
  return restError("PGRST100", '"failed to parse query string" (line 1, column 1)', { details });
}

function parseOrder(text: string): OrderTerm[] {
  const scanner = createScanner("order", text);
  const terms = [parseTerm(scanner)];
  while (take(scanner, ",")) {
    if (terms.length === BOUNDS.orderTerms) reject(scanner, `at most ${BOUNDS.orderTerms} order terms are taken`);
    terms.push(parseTerm(scanner));
  }
  return terms;
}

function parseTerm(scanner: Scanner): OrderTerm {
  const name = parseName(scanner);
  const isRelated = take(scanner, "(");
  const relation = isRelated ? name : null;
  const field = isRelated ? parseField(scanner) : { name, path: parseJsonPath(scanner) };
  if (isRelated) {
    expect(scanner, ")", '"->>", "->" or ")"');
    skipBlanks(scanner);
  }
  const direction = takeOption(scanner, DIRECTIONS);
  const nulls = takeOption(scanner, NULLS);
  endTerm(scanner, { direction, nulls });
  return { relation, field, direction, nulls };
}

function takeOption<Word extends string, Value>(scanner: Scanner, words: Readonly<Record<Word, Value>>): Value | null {
  for (const word in words) {
    if (take(scanner, `.${word}`)) return words[word];
  }
  return null;
}

function endTerm(scanner: Scanner, { direction, nulls }: Pick<OrderTerm, "direction" | "nulls">): void {
  skipBlanks(scanner);
  const next = peek(scanner);
  if (next === "," || isAtEnd(scanner)) return;
  if (nulls === null && take(scanner, ".")) {
    fail(scanner, direction === null ? '"asc", "desc", "nullsfirst" or "nullslast"' : '"nullsfirst" or "nullslast"');
  }
  fail(scanner, nulls === null ? 'delimiter (.), "," or end of input' : '"," or end of input');
}
