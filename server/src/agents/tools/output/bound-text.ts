import { cutAtCharacter } from "../../context/speaker-label.ts";

interface BoundedText {
  readonly text: string;
  /** Of the text before truncation, as far as it was read. */
  readonly chars: number;
  readonly isTruncated: boolean;
}

const MIN_CHARS_WITH_MARK = 100;

/** Truncates a text to `maxChars` and appends a mark. `isCut`: the text was incomplete before. */
export function boundText(text: string, maxChars: number, { isCut } = { isCut: false }): BoundedText {
  const clean = text.replaceAll("\0", "").toWellFormed();
  const chars = clean.length;
  if (chars <= maxChars) return { text: clean, chars, isTruncated: isCut };
  const mark = isCut ? "\n[truncated]" : `\n[truncated, ${chars} characters in all]`;
  const kept = maxChars >= MIN_CHARS_WITH_MARK ? maxChars - mark.length : maxChars;
  return { text: cutAtCharacter(clean, kept) + (kept < maxChars ? mark : ""), chars, isTruncated: true };
}
