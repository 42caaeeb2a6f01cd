import type { Json } from "../json.ts";

const FENCE = /^\s*```[a-z]*\s*\n/i;

/**
 * The value of a JSON text that is still being written: complete members, and the string that is being written as far as it
 * goes. Numbers and words count once they are complete. Undefined while there is no value, and for text that is not JSON.
 */
export function parsePartialJson(text: string): Json | undefined {
  const source = text.replace(FENCE, "");
  try {
    return JSON.parse(complete(source)) as Json;
  } catch {
    return undefined;
  }
}

/** Cuts the text after its last complete part and closes what is open. */
function complete(text: string): string {
  /** Innermost first. */
  const closers: string[] = [];
  let cut = "";
  let isKey = false;
  let index = 0;
  const keep = (end: number): void => {
    cut = text.slice(0, end) + closers.join("");
  };
  while (index < text.length) {
    const character = text.charAt(index);
    switch (character) {
      case "{":
      case "[":
        closers.unshift(character === "{" ? "}" : "]");
        isKey = character === "{";
        index += 1;
        keep(index);
        break;
      case "}":
      case "]":
        closers.shift();
        index += 1;
        keep(index);
        if (closers.length === 0) return cut;
        break;
      case ",":
        isKey = closers[0] === "}";
        index += 1;
        break;
      case ":":
        isKey = false;
        index += 1;
        break;
      case '"': {
        const { end, isComplete } = scanString(text, index + 1);
        if (isKey && !isComplete) return cut;
        if (!isComplete) return `${text.slice(0, end)}"${closers.join("")}`;
        index = end + 1;
        if (!isKey) keep(index);
        break;
      }
      default: {
        const end = scanWord(text, index);
        if (end === index) index += 1;
        else {
          // The rest of a number may follow.
          if (end < text.length) keep(end);
          index = end;
        }
      }
    }
  }
  return cut;
}

/** The end of the string, or of its last complete character. */
function scanString(text: string, start: number): { readonly end: number; readonly isComplete: boolean } {
  let index = start;
  while (index < text.length) {
    const character = text.charAt(index);
    if (character === '"') return { end: index, isComplete: true };
    const length = character !== "\\" ? 1 : text.charAt(index + 1) === "u" ? 6 : 2;
    if (index + length > text.length) return { end: index, isComplete: false };
    index += length;
  }
  return { end: index, isComplete: false };
}

function scanWord(text: string, start: number): number {
  let index = start;
  while (index < text.length && !/[\s,:{}[\]"]/.test(text.charAt(index))) index += 1;
  return index;
}
