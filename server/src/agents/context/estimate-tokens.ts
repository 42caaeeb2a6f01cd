import { LRUCache } from "lru-cache";

/** Characters of Latin text that make one token, as long as a model has not shown otherwise. */
const DEFAULT_CHARS_PER_TOKEN = 3.6;

const MIN_CHARS_PER_TOKEN = 1;
const MAX_CHARS_PER_TOKEN = 8;
/** From here on (CJK, Hangul, emoji) vocabularies hold about one token for each code unit. */
const FIRST_WIDE_UNIT = 0x2e80;
const WIDE = /[\u2e80-\uffff]/;

/** A guess without a vocabulary. The guess for two texts joined is never above the sum of their own. */
export function estimateTokens(text: string, charsPerToken: number = DEFAULT_CHARS_PER_TOKEN): number {
  const ratio = boundRatio(charsPerToken);
  if (!WIDE.test(text)) return Math.ceil(text.length / ratio);
  let wide = 0;
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) >= FIRST_WIDE_UNIT) wide += 1;
  return Math.ceil(wide + (text.length - wide) / ratio);
}

export interface Calibration {
  /** Characters per token: what `estimateTokens` and `buildContext` take. */
  ratioFor(model: string): number;
  /** `estimated` was made with the ratio of this model; `real` is what the vendor counted. */
  learn(model: string, estimated: number, real: number): void;
}

const LEARNING_RATE = 0.2;
/** Below this the vendor's own framing of a prompt outweighs its text. */
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
