import { RE2JS } from "re2js";

const MAX_PATTERN_LENGTH = 500;

export type MeasuredPattern =
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

/** Replaces `RegExp` in Ajv. */
export const compileLinear = Object.assign(
  (pattern: string) => {
    const compiled = RE2JS.compile(pattern);
    // Ajv identifies patterns by their text.
    return { test: (text: string): boolean => compiled.test(text), toString: () => `linear ${pattern}` };
  },
  { code: "compileLinear" },
);
