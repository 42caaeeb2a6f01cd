export interface BoundedText {
  readonly text: string;
  /** As far as they were read. */
  readonly chars: number;
  readonly isTruncated: boolean;
}

const SHORTEST_WITH_MARK = 100;

/** Valid text of at most so many characters, with a mark where the rest was left out. Some may be missing already. */
export function boundText(text: string, maxChars: number, { isCut } = { isCut: false }): BoundedText {
  const clean = text.replaceAll("\0", "").toWellFormed();
  const chars = clean.length;
  if (chars <= maxChars) return { text: clean, chars, isTruncated: isCut };
  const mark = isCut ? "\n[truncated]" : `\n[truncated, ${chars} characters in all]`;
  const room = maxChars >= SHORTEST_WITH_MARK ? maxChars - mark.length : maxChars;
  return { text: cut(clean, room) + (room < maxChars ? mark : ""), chars, isTruncated: true };
}

/** Not through the middle of a character. */
function cut(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}
