const MAX_LABEL_CHARS = 100;
/** Characters that could close the bracket, begin a new line or be invisible. */
const UNSAFE = /[[\]\p{C}\p{Zl}\p{Zp}]/gu;

/** A name for the prefix `[Name]: `: one line, no brackets, never empty. */
export function speakerLabel(name: string, fallback: string): string {
  const label = name.normalize("NFC").replace(UNSAFE, " ").replace(/\s+/gu, " ").trim();
  if (label === "") return fallback;
  return label.length <= MAX_LABEL_CHARS ? label : cutAtCharacter(label, MAX_LABEL_CHARS).trimEnd();
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
