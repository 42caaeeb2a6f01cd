import { LRUCache } from "lru-cache";

/** Characters of Latin text per token, until a model is calibrated. */
const DEFAULT_CHARS_PER_TOKEN = 3.6;

const MIN_CHARS_PER_TOKEN = 1;
const MAX_CHARS_PER_TOKEN = 8;
/** From here on (CJK, Hangul, emoji) vocabularies have about one token for each code unit. */
const FIRST_WIDE_UNIT = 0x2e80;
const WIDE = /[\u2e80-\uffff]/;

/** Estimates without a vocabulary. The estimate of a joined text never exceeds the sum of its parts. */
export function estimateTokens(text: string, charsPerToken: number = DEFAULT_CHARS_PER_TOKEN): number {
  const ratio = boundRatio(charsPerToken);
  if (!WIDE.test(text)) return Math.ceil(text.length / ratio);
  let wide = 0;
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) >= FIRST_WIDE_UNIT) wide += 1;
  return Math.ceil(wide + (text.length - wide) / ratio);
}

export interface Calibration {
  /** Characters per token, for `estimateTokens` and `buildContext`. */
  ratioFor(model: string): number;
  /** `estimated` was computed with the ratio of this model; `real` is the count of the vendor. */
  learn(model: string, estimated: number, real: number): void;
}

const LEARNING_RATE = 0.2;
/** Below this the vendor's framing of a prompt outweighs its text. */
const MIN_LEARNED_TOKENS = 50;
const MAX_MODELS = 256;

export function createCalibration(): Calibration {
  const ratios = new LRUCache<string, number>({ max: MAX_MODELS });
  const ratioFor = (model: string): number => ratios.get(model) ?? DEFAULT_CHARS_PER_TOKEN;

  return {
    ratioFor,
    learn(model, estimated, real) {
      if (!(estimated >= MIN_LEARNED_TOKENS && real >= MIN_LEARNED_TOKENS)) return;
      const ratio = ratioFor(model);
      const seen = boundRatio((ratio * estimated) / real);
      ratios.set(model, boundRatio(ratio + LEARNING_RATE * (seen - ratio)));
    },
  };
}

function boundRatio(ratio: number): number {
  if (!Number.isFinite(ratio)) return DEFAULT_CHARS_PER_TOKEN;
  return Math.min(MAX_CHARS_PER_TOKEN, Math.max(MIN_CHARS_PER_TOKEN, ratio));
}
