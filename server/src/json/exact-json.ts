import { type JsonReading, readJson } from "./read-json.ts";

const { rawJSON } = JSON as typeof JSON & { rawJSON(text: string): unknown };

/**
 * JSON whose numbers keep all their digits: those that JavaScript would write otherwise stand as their text, and
 * `JSON.stringify` writes them back as such. For what is only passed on.
 */
export function readExactJson(text: string): JsonReading {
  return readJson(text, (_name, value, context) => {
    const source = context?.source;
    return typeof value === "number" && source !== undefined && String(value) !== source ? rawJSON(source) : value;
  });
}
