import { isRecord, type JsonRecord } from "swarmbase/extension";

export function asRecord(value: unknown): JsonRecord | null {
  return isRecord(value) ? value : null;
}

/** Null when the text is not a JSON object. */
export function parseRecord(json: string): JsonRecord | null {
  try {
    return asRecord(JSON.parse(json));
  } catch {
    return null;
  }
}
