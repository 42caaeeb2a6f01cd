import { OPERATORS } from "../../operators/index.ts";
import type {
  Condition,
  FieldPath,
  Operation,
  OrderTerm,
  ParsedBody,
  Preferences,
  SelectItem,
} from "../parse/parsed-request.ts";
import type { AnswerMedia } from "./negotiate.ts";

/**
 * Parts of the key of a request shape. Every request is keyed, so the text is concatenated directly; names are prefixed with their
 * length, so that keys are unambiguous.
 */
export function keyWord(word: string): string {
  return `${word.length}:${word}`;
}

export function keyNames(names: readonly string[]): string {
  let key = `${names.length},`;
  for (const name of names) key += keyWord(name);
  return key;
}

function keyOptional(word: string | null): string {
  return word === null ? "-" : keyWord(word);
}

function keyField({ name, path }: FieldPath): string {
  let key = keyWord(name);
  for (const { kind, key: step } of path) key += `${kind}${typeof step === "number" ? `#${step}` : keyWord(step)}`;
  return key;
}

export function keySelect(items: readonly SelectItem[]): string {
  let key = "(";
  for (const item of items) key += keyItem(item);
  return `${key})`;
}

function keyItem(item: SelectItem): string {
  switch (item.kind) {
    case "star":
      return "*";
    case "count":
      return `n${keyOptional(item.alias)}${keyOptional(item.cast)}`;
    case "column": {
      const aggregate = item.aggregate === null ? "" : `.${item.aggregate}${keyOptional(item.aggregateCast)}`;
      return `f${keyField(item.field)}|${keyOptional(item.alias)}${keyOptional(item.cast)}${aggregate}`;
    }
    case "embed": {
      const names = `${keyWord(item.relation)}${keyOptional(item.alias)}${keyOptional(item.hint)}`;
      return `${item.isSpread ? "~" : "r"}${names}${item.join === "inner" ? "i" : ""}${keySelect(item.select)}`;
    }
  }
}

/** Without the operand, which is a placeholder, except of `is`, where it is part of the statement. */
export function keyCondition(condition: Condition): string {
  if (condition.kind === "filter") return `f${keyField(condition.field)}${keyOperation(condition.operation)}`;
  let key = `${condition.isNegated ? "!" : ""}${condition.operator === "and" ? "&" : "|"}(`;
  for (const inner of condition.conditions) key += keyCondition(inner);
  return `${key})`;
}

function keyOperation({ operator, isNegated, quantifier, value, config }: Operation): string {
  const isState = OPERATORS[operator].operand === "state" && typeof value === "string";
  const what = isState ? value : (quantifier ?? "");
  return `${isNegated ? "!" : "="}${operator} ${what}${config === null ? "" : "c"};`;
}

export function keyOrder({ relation, field, direction, nulls }: OrderTerm): string {
  return `>${keyOptional(relation)}${keyField(field)}|${direction ?? ""} ${nulls ?? ""};`;
}

export function keyPreferences(preferences: Preferences): string {
  const { count, resolution, missing, handling, maxAffected } = preferences;
  const write = `${preferences.return ?? ""} ${resolution ?? ""} ${missing ?? ""}`;
  return `p${write} ${count ?? ""} ${handling === "strict" ? "s" : ""}${maxAffected === null ? "" : "m"};`;
}

export function keyMedia({ body, explain }: AnswerMedia): string {
  let key = `m${body.kind}`;
  if ("hasNulls" in body && !body.hasNulls) key += "-";
  if (body.kind === "raw") key += ` ${body.encoding}`;
  if (body.kind === "handler") {
    const { function: name, target, encoding } = body.handler;
    key += `${keyNames([name.schema, name.name])}${target === null ? "*" : ""}${encoding}`;
  }
  if (explain !== null) key += `x${explain.format}${keyNames(explain.options)}`;
  return `${key};`;
}

export function keyBody(body: ParsedBody): string {
  switch (body.kind) {
    case "none":
      return "";
    case "rows": {
      const absent =
        body.absent === undefined ? "" : `${keyNames(body.absent.everywhere)}${keyNames(body.absent.somewhere)}`;
      const form = `${body.isArray ? "[" : "{"}${body.source}${body.rows.length === 0 ? "0" : ""}`;
      return `b${form}${keyNames(body.keys)}${absent}`;
    }
    case "json":
      return "bj";
    case "raw":
      return `br${keyWord(body.type)}`;
    case "form":
      return `bf${keyNames(body.pairs.map(([name]) => name))}`;
  }
}
