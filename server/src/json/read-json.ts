import { isTooDeep, TOO_DEEP } from "./json-depth.ts";

/** A value or a fault, which follows the name of the value. */
export type JsonReading = { readonly fault: null; readonly value: unknown } | { readonly fault: string };

type Reviver = (this: unknown, name: string, value: unknown, context?: { readonly source?: string }) => unknown;

export function readJson(text: string, revive?: Reviver): JsonReading {
  if (isTooDeep(text)) return { fault: TOO_DEEP };
  try {
    return { fault: null, value: JSON.parse(text, revive) };
  } catch {
    return { fault: "must be valid JSON" };
  }
}
