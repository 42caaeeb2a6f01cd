import type { FrameReader, PlainWords } from "./plain-words.ts";

/**
 * Takes the plain words out of a stream of events and leaves the rest to the vendor's package, which takes twenty times as
 * long for a word. From the first event on that is neither words nor nothing, all goes there, so that nothing changes places.
 */
export interface WordFilter {
  /** What is left for the package; null: nothing. */
  push(bytes: Uint8Array): Uint8Array | null;
  end(): Uint8Array | null;
}

/** A frame of words is small; something longer is for the package, which does not look through it anew with every byte. */
const MOST_HELD_CHARS = 65_536;
const FRAME_END = /\r?\n\r?\n/g;
const DATA = "data:";

export function createWordFilter(read: FrameReader, onWords: (words: PlainWords) => void): WordFilter {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let held = "";
  let isOpen = true;
  /** The package is shown how the answer begins, unless that is with a word. */
  let opening: string | null = "";

  const encode = (text: string): Uint8Array | null => (text === "" ? null : encoder.encode(text));
  /** True: these were words, or nothing at all. */
  const take = (frame: string): boolean => {
    if (frame === "" || (frame.startsWith(":") && !frame.includes("\n"))) return true;
    if (!frame.startsWith(DATA) || frame.includes("\n") || frame.includes("\r")) return false;
    const words = read(frame.slice(DATA.length));
    if (words === null) return false;
    if (words !== "neutral") onWords(words);
    else if (opening === "") opening = `${frame}\n\n`;
    return true;
  };
  const sift = (): string => {
    let from = 0;
    FRAME_END.lastIndex = 0;
    for (let end = FRAME_END.exec(held); end !== null; end = FRAME_END.exec(held)) {
      isOpen = take(held.slice(from, end.index));
      if (!isOpen) break;
      from = FRAME_END.lastIndex;
    }
    const rest = held.slice(from);
    isOpen &&= rest.length <= MOST_HELD_CHARS;
    held = isOpen ? rest : "";
    const begun = opening ?? "";
    if (begun !== "" || !isOpen) opening = null;
    return isOpen ? begun : begun + rest;
  };

  return {
    push(bytes) {
      const text = decoder.decode(bytes, { stream: true });
      if (!isOpen) return encode(text);
      held += text;
      return encode(sift());
    },
    end() {
      const rest = held + decoder.decode();
      held = "";
      return encode(rest);
    },
  };
}
