import { parseJsonPath } from "./field.ts";
import { parseDottedNames } from "./names.ts";
import { parseOperation, parseWholeValue } from "./operation.ts";
import type { Condition, FilterCondition } from "./parsed-request.ts";
import { createScanner, expectEnd } from "./scanner.ts";

/** A condition, and the embed (by names from the root down) that it applies to. */
export interface PlacedFilter {
  readonly path: readonly string[];
  readonly filter: FilterCondition;
}

export function parseFilter(key: string, value: string): PlacedFilter {
  const keyScanner = createScanner("tree path", key);
  const names = parseDottedNames(keyScanner);
  const jsonPath = parseJsonPath(keyScanner);
  expectEnd(keyScanner, 'letter, digit, "-", delimiter (.), "->>", "->" or end of input');
  const name = names.pop() ?? "";

  const valueScanner = createScanner("filter", value);
  const operation = parseOperation(valueScanner, parseWholeValue);
  expectEnd(valueScanner);
  return { path: names, filter: { kind: "filter", field: { name, path: jsonPath }, operation } };
}

/** Whether a condition is `column=eq.value`. */
export function isPlainEquality(condition: Condition): condition is FilterCondition {
  if (condition.kind !== "filter") return false;
  const { field, operation } = condition;
  const isPlain = field.path.length === 0 && operation.quantifier === null && !operation.isNegated;
  return isPlain && operation.operator === "eq";
}
