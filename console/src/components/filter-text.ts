import type { JsonObject } from "@swarmbase/sdk";

export function toFilterText(filter: JsonObject | null): string {
  return filter === null ? "" : JSON.stringify(filter, null, 2);
}

export const NO_FILTER_ERROR = "Must be a JSON object: { … }";

/** Null for an empty text; undefined for one that is not a JSON object. */
export function parseFilter(text: string): JsonObject | null | undefined {
  if (text.trim() === "") return null;
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === "object" && parsed !== null && !Array.isArray(parsed) ? (parsed as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}
