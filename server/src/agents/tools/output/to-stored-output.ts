import { isShallow } from "../../schemas/json-size.ts";

const MAX_STORED_DEPTH = 64;
/** Escapes that PostgreSQL rejects in a jsonb column. */
const UNSTORABLE_ESCAPE = /\\u(?:0000|d[89a-f])/i;

/** The value to store for a text: the JSON value when the text is one, else the text. */
export function toStoredOutput(text: string): unknown {
  if (!/^\s*[[{]/.test(text) || UNSTORABLE_ESCAPE.test(text)) return text;
  try {
    const value: unknown = JSON.parse(text);
    return isShallow(value, MAX_STORED_DEPTH) ? value : text;
  } catch {
    return text;
  }
}
