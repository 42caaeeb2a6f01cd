const MAX_LABEL_CHARS = 100;
/** What could end the bracket early, begin a line of its own, or hide in the text. */
const UNSAFE = /[[\]\p{C}\p{Zl}\p{Zp}]/gu;

/** A name as it may stand in `[Name]: `: one line, no brackets, never empty. */
export function speakerLabel(name: string, fallback: string): string {
  const label = name.normalize("NFC").replace(UNSAFE, " ").replace(/\s+/gu, " ").trim();
  if (label === "") return fallback;
  return label.length <= MAX_LABEL_CHARS ? label : cutAtCharacter(label, MAX_LABEL_CHARS).trimEnd();
}

/** Two labels that a reader would take for the same name have the same key. */
export function labelKey(label: string): string {
  return label.normalize("NFKC").toLowerCase();
}

function cutAtCharacter(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  const splitsPair = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, splitsPair ? length - 1 : length);
}
