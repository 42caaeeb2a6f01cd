import { RE2JS } from "re2js";
import type { StepMeter } from "./meter-keywords.ts";

const MAX_PATTERN_LENGTH = 500;

type MeasuredPattern =
  | { readonly ok: true; readonly instructions: number }
  | { readonly ok: false; readonly fault: string };

/** Patterns and the texts they match are untrusted, so only patterns that match in linear time are accepted. */
export function measurePattern(pattern: string): MeasuredPattern {
  if (pattern.length > MAX_PATTERN_LENGTH) {
    return { ok: false, fault: `has a pattern of more than ${MAX_PATTERN_LENGTH} characters` };
  }
  try {
    return { ok: true, instructions: RE2JS.compile(pattern).programSize() };
  } catch {
    return {
      ok: false,
      fault: "has a pattern that cannot be matched in linear time (no look-around, no back-references)",
    };
  }
}

/** The matcher runs up to this number of instructions in the time of a step. */
const INSTRUCTIONS_PER_STEP = 100;
/** A matcher keeps up to one state, of some hundred bytes, for each character that it has read. */
const MAX_CHARACTERS_KEPT = 100_000;

export interface LinearPatterns {
  /** Replaces `RegExp` in Ajv. */
  readonly regExp: ((pattern: string) => { test(text: string): boolean }) & { code: string };
  /** Frees the states of the matchers. Compiling a pattern again takes a fraction of a millisecond. */
  release(): void;
}

export function createLinearPatterns(meter: StepMeter): LinearPatterns {
  let compiled = new Map<string, RE2JS>();
  let charactersKept = 0;
  const release = (): void => {
    compiled = new Map();
    charactersKept = 0;
  };
  const match = (pattern: string, text: string): boolean => {
    if (charactersKept > MAX_CHARACTERS_KEPT) release();
    const known = compiled.get(pattern);
    const matcher = known ?? RE2JS.compile(pattern);
    if (known === undefined) compiled.set(pattern, matcher);
    meter.spend(1 + (text.length * matcher.programSize()) / INSTRUCTIONS_PER_STEP);
    charactersKept += text.length;
    return matcher.test(text);
  };
  const regExp = (pattern: string) => ({
    test: (text: string) => match(pattern, text),
    // Ajv identifies patterns by their text.
    toString: () => `linear ${pattern}`,
  });
  return { regExp: Object.assign(regExp, { code: "compileLinear" }), release };
}
