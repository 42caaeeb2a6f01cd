import type { EndReader, FrameReader, PlainEnd, PlainWords } from "./plain-words.ts";

/**
 * Takes the plain words out of a stream of events and leaves the rest to the vendor's package, which takes twenty times as
 * long for a word. From the first event on that is neither words nor nothing, all goes there, so that nothing changes places.
 * Where ends can be read too, what looks like one is held back: if nothing else follows, the package has nothing to do at all.
 */
export interface WordFilter {
  /** What is left for the package; null: nothing. */
  push(bytes: Uint8Array): Uint8Array | null;
  end(): Uint8Array | null;
  /** Known after the end, where the package has been left nothing. */
  readonly plainEnd: PlainEnd | null;
}

/** A frame of words is small; something longer is for the package, which does not look through it anew with every byte. */
const MOST_HELD_CHARS = 65_536;
const FRAME_END = /\r?\n\r?\n/g;
const DATA = "data:";

export function createWordFilter(
  readWords: FrameReader,
  onWords: (words: PlainWords) => void,
  readEnd: EndReader | null = null,
): WordFilter {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let held = "";
  let isOpen = true;
  /** The package is shown how the answer begins, unless that is with a word. */
  let opening: string | null = "";
  /** What has come of the end, and how it was written. */
  let ended: Partial<PlainEnd> = {};
  let ending = "";
  let plainEnd: PlainEnd | null = null;

  const encode = (text: string): Uint8Array | null => (text === "" ? null : encoder.encode(text));
  /** True: these were words, or nothing at all. */
  const takeWords = (json: string): boolean => {
    const words = ending === "" ? readWords(json) : null;
    if (words === null) return false;
    if (words !== "neutral") onWords(words);
    else if (opening === "") opening = `${DATA}${json}\n\n`;
    return true;
  };
  const takeEnd = (json: string): boolean => {
    const part = readEnd?.(json) ?? null;
    if (part === null || ending.length > MOST_HELD_CHARS) return false;
    ended = { ...ended, ...part };
    ending += `${DATA}${json}\n\n`;
    return true;
  };
  const take = (frame: string): boolean => {
    if (frame === "" || (frame.startsWith(":") && !frame.includes("\n"))) return true;
    if (!frame.startsWith(DATA) || frame.includes("\n") || frame.includes("\r")) return false;
    const json = frame.slice(DATA.length);
    return takeWords(json) || takeEnd(json);
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
    if (isOpen && readEnd !== null) return "";
    const begun = opening ?? "";
    if (begun !== "" || !isOpen) opening = null;
    return isOpen ? begun : begun + ending + rest;
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
      const { reason, usage = null } = ended;
      if (isOpen && rest === "" && reason !== undefined) plainEnd = { reason, usage };
      if (!isOpen || readEnd === null || plainEnd !== null) return encode(rest);
      return encode((opening ?? "") + ending + rest);
    },
    get plainEnd() {
      return plainEnd;
    },
  };
}
