import { speakerLabel } from "./speaker-label.ts";

interface EchoStripper {
  /** The text that can be emitted. Text is held back only while it can become the prefix. */
  push(delta: string): string;
  /** The text that was held back, at the end of the stream. */
  end(): string;
}

/** White space before a prefix; more than this belongs to the answer. */
const MAX_BLANKS = 16;
const BLANK = /\s/u;

/** Removes the model's own name at the start of an answer: models imitate the `[Name]: ` prefix of the messages. */
export function createEchoStripper(name: string): EchoStripper {
  const labels = [...new Set([speakerLabel(name, "agent"), name])];
  let held = "";
  let hasCut = false;
  let isOpen = true;

  return {
    push(delta) {
      if (!isOpen) return delta;
      held += delta;
      for (;;) {
        const found = findPrefix(held, labels);
        if (found === "undecided") return "";
        if (found === "none") break;
        held = held.slice(found.end);
        hasCut = true;
      }
      return release();
    },
    end: release,
  };

  function release(): string {
    const text = hasCut ? held.trimStart() : held;
    held = "";
    isOpen = false;
    return text;
  }
}

type Found = { readonly end: number } | "undecided" | "none";

function findPrefix(text: string, labels: readonly string[]): Found {
  let isUndecided = false;
  for (const label of labels) {
    const found = matchLabel(text, label);
    if (typeof found === "object") return found;
    isUndecided ||= found === "undecided";
  }
  return isUndecided ? "undecided" : "none";
}

function matchLabel(text: string, label: string): Found {
  const start = skipBlanks(text, 0);
  if (typeof start === "string") return start;
  const bracketed = `[${label}]`;
  for (let offset = 0; offset < bracketed.length; offset += 1) {
    if (start + offset === text.length) return "undecided";
    if (!isSameLetter(text.charAt(start + offset), bracketed.charAt(offset))) return "none";
  }
  const colon = skipBlanks(text, start + bracketed.length);
  if (typeof colon === "string") return colon;
  return text.charAt(colon) === ":" ? { end: colon + 1 } : "none";
}

/** The index of the next character that is not white space. */
function skipBlanks(text: string, from: number): number | "undecided" | "none" {
  for (let index = from; index < text.length; index += 1) {
    if (!BLANK.test(text.charAt(index))) return index;
    if (index - from === MAX_BLANKS) return "none";
  }
  return "undecided";
}

function isSameLetter(one: string, other: string): boolean {
  return one === other || one.toLowerCase() === other.toLowerCase();
}
