import type { EndReader, FrameReader, StreamEnd, TextDelta } from "./chat-frames.ts";

/**
 * Extracts text deltas from an event stream and passes the rest to the vendor's package, which takes twenty times as long for
 * a delta. From the first event that is not a delta, everything passes to the package, so that the order is kept. With
 * `readEnd`, events of the end are held back: when nothing else follows, the package gets nothing at all.
 */
export interface TextFilter {
  /** The bytes for the package; null: none. */
  push(bytes: Uint8Array): Uint8Array | null;
  end(): Uint8Array | null;
  /** Set after the end when the package got nothing. */
  readonly streamEnd: StreamEnd | null;
}

/** Deltas are small. A longer frame passes to the package, because scanning it again with every chunk is slow. */
const MAX_HELD_CHARS = 65_536;
const FRAME_END = /\r?\n\r?\n/g;
const DATA = "data:";

export function createTextFilter(
  readDelta: FrameReader,
  onDelta: (delta: TextDelta) => void,
  readEnd: EndReader | null = null,
): TextFilter {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let held = "";
  let isOpen = true;
  /** The first empty frame, which the package needs when the answer does not begin with text. */
  let opening: string | null = "";
  /** The fields of the end so far, and their frames. */
  let ended: Partial<StreamEnd> = {};
  let ending = "";
  let streamEnd: StreamEnd | null = null;

  const encode = (text: string): Uint8Array | null => (text === "" ? null : encoder.encode(text));
  /** Returns whether the frame was a delta or empty. */
  const takeDelta = (json: string): boolean => {
    const delta = ending === "" ? readDelta(json) : null;
    if (delta === null) return false;
    if (delta !== "neutral") onDelta(delta);
    else if (opening === "") opening = `${DATA}${json}\n\n`;
    return true;
  };
  const takeEnd = (json: string): boolean => {
    const part = readEnd?.(json) ?? null;
    if (part === null || ending.length > MAX_HELD_CHARS) return false;
    ended = { ...ended, ...part };
    ending += `${DATA}${json}\n\n`;
    return true;
  };
  const take = (frame: string): boolean => {
    if (frame === "" || (frame.startsWith(":") && !frame.includes("\n"))) return true;
    if (!frame.startsWith(DATA) || frame.includes("\n") || frame.includes("\r")) return false;
    const json = frame.slice(DATA.length);
    return takeDelta(json) || takeEnd(json);
  };
  const extract = (): string => {
    let from = 0;
    FRAME_END.lastIndex = 0;
    for (let end = FRAME_END.exec(held); end !== null; end = FRAME_END.exec(held)) {
      isOpen = take(held.slice(from, end.index));
      if (!isOpen) break;
      from = FRAME_END.lastIndex;
    }
    const rest = held.slice(from);
    isOpen &&= rest.length <= MAX_HELD_CHARS;
    held = isOpen ? rest : "";
    if (isOpen && readEnd !== null) return "";
    const first = opening ?? "";
    if (first !== "" || !isOpen) opening = null;
    return isOpen ? first : first + ending + rest;
  };

  return {
    push(bytes) {
      const text = decoder.decode(bytes, { stream: true });
      if (!isOpen) return encode(text);
      held += text;
      return encode(extract());
    },
    end() {
      const rest = held + decoder.decode();
      held = "";
      const { reason, usage = null } = ended;
      if (isOpen && rest === "" && reason !== undefined) streamEnd = { reason, usage };
      if (!isOpen || readEnd === null || streamEnd !== null) return encode(rest);
      return encode((opening ?? "") + ending + rest);
    },
    get streamEnd() {
      return streamEnd;
    },
  };
}
