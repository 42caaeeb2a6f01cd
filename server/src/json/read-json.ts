import { isTooDeep, TOO_DEEP } from "./json-depth.ts";

/** A value, or what is wrong with the text; the fault goes on after the name of what was sent. */
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
