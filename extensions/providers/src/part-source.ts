import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { StreamEnd, TextDelta } from "./chat-frames.ts";

export type Parts = ReadableStreamDefaultReader<LanguageModelV4StreamPart>;

/** A null part is the end. */
type Arrival =
  | { readonly deltas: readonly TextDelta[] }
  | { readonly end: StreamEnd }
  | { readonly part: LanguageModelV4StreamPart | null };

/** Merges the text deltas of the filter and the parts that the vendor's package parses. */
export interface PartSource {
  onDelta(delta: TextDelta): void;
  /** Nothing else follows. */
  onEnd(end: StreamEnd): void;
  /** Deltas come first: the provider sent the parts of the package later. Some packages open only with the first bytes. */
  next(opening: Promise<Parts>): Promise<Arrival>;
}

export function createPartSource(): PartSource {
  let received: TextDelta[] = [];
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
    if (received.length > 0) {
      const deltas = received;
      received = [];
      return { deltas };
    }
    const arrival = arrived?.() ?? null;
    arrived = null;
    return arrival;
  };
  return {
    onDelta({ type, delta }) {
      const last = received.at(-1);
      // The next read gets all collected text in one delta.
      if (last?.type === type) received[received.length - 1] = { type, delta: last.delta + delta };
      else received.push({ type, delta });
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
