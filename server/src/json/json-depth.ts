/**
 * The maximum nesting of arrays and objects in JSON from outside. V8 parses any depth, but functions that walk a value,
 * including `JSON.stringify`, and PostgreSQL run out of stack at some thousands.
 */
export const MAX_JSON_DEPTH = 1_000;

/** Follows the name of the value. */
export const TOO_DEEP = `must not be nested deeper than ${MAX_JSON_DEPTH} levels`;

const [QUOTE, BACKSLASH, OPENING_BRACKET, CLOSING_BRACKET, OPENING_BRACE, CLOSING_BRACE] = Buffer.from('"\\[]{}');

/** Scans the text without parsing it. For text that is not JSON the result has no meaning. */
export function isTooDeep(text: string): boolean {
  // Each level takes two characters, and most texts are shorter.
  if (text.length < 2 * MAX_JSON_DEPTH) return false;
  let depth = 0;
  let isInString = false;
  for (let index = 0; index < text.length && depth <= MAX_JSON_DEPTH; index += 1) {
    const character = text.charCodeAt(index);
    if (character === QUOTE) isInString = !isInString;
    else if (isInString) index += character === BACKSLASH ? 1 : 0;
    else if (character === OPENING_BRACKET || character === OPENING_BRACE) depth += 1;
    else if (character === CLOSING_BRACKET || character === CLOSING_BRACE) depth -= 1;
  }
  return depth > MAX_JSON_DEPTH;
}
