import { type JsonReading, readJson } from "./read-json.ts";

const { rawJSON } = JSON as typeof JSON & { rawJSON(text: string): unknown };

/**
 * Reads JSON without a loss of digits: a number that JavaScript would write differently keeps its text, which `JSON.stringify`
 * writes back. For values that are only passed on.
 */
export function readExactJson(text: string): JsonReading {
  return readJson(text, (_name, value, context) => {
    const source = context?.source;
    return typeof value === "number" && source !== undefined && String(value) !== source ? rawJSON(source) : value;
  });
}
