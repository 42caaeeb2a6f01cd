const MAX_LABEL_CHARS = 100;
/** Characters that could close the bracket, begin a new line or be invisible. */
const UNSAFE = /[[\]\p{C}\p{Zl}\p{Zp}]/gu;

/** A name for the prefix `[Name]: `: one line, no brackets, never empty. */
export function speakerLabel(name: string, fallback: string): string {
  const label = oneLine(name, MAX_LABEL_CHARS);
  return label === "" ? fallback : label;
}

/** The text in one line without brackets, cut at a number of characters. */
export function oneLine(text: string, maxChars: number): string {
  const line = text.normalize("NFC").replace(UNSAFE, " ").replace(/\s+/gu, " ").trim();
  return line.length <= maxChars ? line : cutAtCharacter(line, maxChars).trimEnd();
}

/** Labels that look like the same name have the same key. */
export function labelKey(label: string): string {
  return label.normalize("NFKC").toLowerCase();
}

/** Cuts a text without splitting a surrogate pair. */
export function cutAtCharacter(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  const splitsPair = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, splitsPair ? length - 1 : length);
}
