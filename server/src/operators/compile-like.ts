const MAX_PATTERN_LENGTH = 200;

/**
 * LIKE: `%` is any text, `_` one character, a backslash takes the next character literally. Null where PostgreSQL has to decide:
 * the pattern is invalid, its case depends on the collation, or matching could take longer than reading the text and block this process.
 */
export function compileLike(pattern: string, isCaseSensitive: boolean): ((text: string) => boolean) | null {
  if (pattern.length > MAX_PATTERN_LENGTH) return null;
  if (isCaseSensitive) {
    const pieces = toPieces(pattern);
    return pieces && ((text) => matches(pieces, text));
  }
  const pieces = isAscii(pattern) ? toPieces(pattern.toLowerCase()) : null;
  return pieces && ((text) => matches(pieces, toLowerCase(text)));
}

function isAscii(text: string): boolean {
  return /^[\0-\x7f]*$/.test(text);
}

/** Right for what an ASCII pattern can match. JavaScript makes two characters of the dotted capital, PostgreSQL one. */
function toLowerCase(text: string): string {
  return (text.includes("İ") ? text.replaceAll("İ", "i") : text).toLowerCase();
}

/** The texts between the `%`; null when there is a `_`, or an escape without a character. */
function toPieces(pattern: string): string[] | null {
  const pieces = [""];
  for (let index = 0; index < pattern.length; index += 1) {
    const character = pattern.charAt(index);
    if (character === "_") return null;
    if (character === "%") {
      pieces.push("");
      continue;
    }
    if (character === "\\") {
      index += 1;
      if (index === pattern.length) return null;
    }
    pieces[pieces.length - 1] += pattern.charAt(index);
  }
  return pieces;
}

/** Each piece at its first possible position: whatever fits after a later one fits after the first too. */
function matches(pieces: readonly string[], text: string): boolean {
  const [first = "", ...others] = pieces;
  const last = others.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let from = first.length;
  for (const piece of others) {
    const index = text.indexOf(piece, from);
    if (index === -1) return false;
    from = index + piece.length;
  }
  return text.length - last.length >= from && text.endsWith(last);
}
