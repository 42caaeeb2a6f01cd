/**
 * How many arrays and objects may stand inside each other in any JSON that comes from outside. V8 parses any depth, but
 * functions that walk a value, `JSON.stringify` among them, and PostgreSQL run out of stack at some thousands.
 */
export const MAX_JSON_DEPTH = 1_000;

/** Goes on after the name of what was sent. */
export const TOO_DEEP = `must not be nested deeper than ${MAX_JSON_DEPTH} levels`;

const [QUOTE, BACKSLASH, OPENING_BRACKET, CLOSING_BRACKET, OPENING_BRACE, CLOSING_BRACE] = Buffer.from('"\\[]{}');

/** Looks at the text alone, so that nothing has to be parsed for it. Of text that is no JSON the answer means nothing. */
export function isTooDeep(text: string): boolean {
  // Each level takes two characters, and most texts are shorter.
  if (text.length < 2 * MAX_JSON_DEPTH) return false;
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < text.length && depth <= MAX_JSON_DEPTH; at += 1) {
    const character = text.charCodeAt(at);
    if (character === QUOTE) isInString = !isInString;
    else if (isInString) at += character === BACKSLASH ? 1 : 0;
    else if (character === OPENING_BRACKET || character === OPENING_BRACE) depth += 1;
    else if (character === CLOSING_BRACKET || character === CLOSING_BRACE) depth -= 1;
  }
  return depth > MAX_JSON_DEPTH;
}
