const MAX_PATTERN_LENGTH = 200;

/**
 * LIKE: `%` is anything, `_` one character, a backslash takes the next one as it is. Null where it would take longer than
 * reading the text: a pattern of somebody else's must not be able to hold up this process.
 */
export function compileLike(pattern: string, isCaseBlind: boolean): ((text: string) => boolean) | null {
  const fold = (text: string): string => (isCaseBlind ? text.toLowerCase() : text);
  const pieces = pattern.length > MAX_PATTERN_LENGTH ? null : toPieces(fold(pattern));
  if (pieces === null) return null;
  return (text) => matches(pieces, fold(text));
}

/** The texts between the `%`; null when there is a `_`. */
function toPieces(pattern: string): string[] | null {
  const pieces = [""];
  for (let at = 0; at < pattern.length; at += 1) {
    const letter = pattern.charAt(at);
    if (letter === "_") return null;
    if (letter === "%") {
      pieces.push("");
      continue;
    }
    if (letter === "\\" && at + 1 < pattern.length) at += 1;
    pieces[pieces.length - 1] += pattern.charAt(at);
  }
  return pieces;
}

/** Each piece at the first place where it can be: whatever fits after a later one fits after that too. */
function matches(pieces: readonly string[], text: string): boolean {
  const [first = "", ...others] = pieces;
  const last = others.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let from = first.length;
  for (const piece of others) {
    const at = text.indexOf(piece, from);
    if (at === -1) return false;
    from = at + piece.length;
  }
  return text.length - last.length >= from && text.endsWith(last);
}
