import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { PlainEnd, PlainWords } from "./plain-words.ts";

export type Parts = ReadableStreamDefaultReader<LanguageModelV4StreamPart>;

/** A part that is null is the end. */
type Arrival =
  | { readonly words: readonly PlainWords[] }
  | { readonly end: PlainEnd }
  | { readonly part: LanguageModelV4StreamPart | null };

/** The words of an answer, which come the short way, and all its other parts, which come by the vendor's package. */
export interface PartSource {
  onWords(words: PlainWords): void;
  /** There will be nothing else. */
  onEnd(end: PlainEnd): void;
  /** Words first: what comes the long way was sent later. Some packages open only when something has come. */
  next(opening: Promise<Parts>): Promise<Arrival>;
}

export function createPartSource(): PartSource {
  let heard: PlainWords[] = [];
  let arrived: (() => Arrival) | null = null;
  let isReading = false;
  let wake: (() => void) | null = null;

  const arrive = (arrival: () => Arrival): void => {
    arrived = arrival;
    isReading = false;
    wake?.();
  };
  const read = (opening: Promise<Parts>): void => {
    isReading = true;
    opening
      .then((parts) => parts.read())
      .then(
        ({ done, value }) => arrive(() => ({ part: done ? null : value })),
        (error: unknown) =>
          arrive(() => {
            throw error;
          }),
      );
  };
  const take = (): Arrival | null => {
    if (heard.length > 0) {
      const words = heard;
      heard = [];
      return { words };
    }
    const arrival = arrived?.() ?? null;
    arrived = null;
    return arrival;
  };
  return {
    onWords({ type, delta }) {
      const last = heard.at(-1);
      // Whoever comes to fetch them gets what has gathered in one piece.
      if (last?.type === type) heard[heard.length - 1] = { type, delta: last.delta + delta };
      else heard.push({ type, delta });
      wake?.();
    },
    onEnd(end) {
      arrive(() => ({ end }));
    },
    async next(opening) {
      for (;;) {
        const arrival = take();
        if (arrival !== null) return arrival;
        if (!isReading) read(opening);
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        wake = null;
      }
    },
  };
}
