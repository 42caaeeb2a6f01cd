import { isShallow } from "./is-shallow.ts";

const MAX_KEPT_DEPTH = 64;
/** What no column of JSON holds. */
const UNSTORABLE_ESCAPE = /\\u(?:0000|d[89a-f])/i;

/** What a text is kept as: the value that it says in JSON, or the text itself. */
export function keptOutput(text: string): unknown {
  if (!/^\s*[[{]/.test(text) || UNSTORABLE_ESCAPE.test(text)) return text;
  try {
    const value: unknown = JSON.parse(text);
    return isShallow(value, MAX_KEPT_DEPTH) ? value : text;
  } catch {
    return text;
  }
}
