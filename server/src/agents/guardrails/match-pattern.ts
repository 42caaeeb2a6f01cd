import { RE2JS } from "re2js";
import { createLinearPatterns } from "../schemas/linear-pattern.ts";
import { createStepMeter, TooManySteps } from "../schemas/meter-keywords.ts";
import { GuardrailFailure } from "./guardrail.ts";

/** A search is linear in the text, but a text can have as many searches as characters. */
const MAX_REPLACE_MS = 200;
const TOO_LONG = "the text takes too long to check with its pattern";

/** Whether the pattern occurs in the text. Throws a GuardrailFailure when the text is too long for the pattern. */
export function hasMatch(pattern: string, text: string): boolean {
  const meter = createStepMeter();
  meter.reset();
  try {
    return createLinearPatterns(meter).regExp(pattern).test(text);
  } catch (error) {
    if (error instanceof TooManySteps) throw new GuardrailFailure(TOO_LONG);
    throw new GuardrailFailure("its pattern is not valid", error);
  }
}

/** Replaces all matches that are not empty. The replacement is plain text. Must follow `hasMatch`, which bounds one search. */
export function replaceMatches(pattern: string, text: string, replacement: string): string {
  const matcher = RE2JS.compile(pattern).matcher(text);
  const deadlineMs = performance.now() + MAX_REPLACE_MS;
  const parts: string[] = [];
  let end = 0;
  while (matcher.find()) {
    if (performance.now() > deadlineMs) throw new GuardrailFailure(TOO_LONG);
    if (matcher.end() === matcher.start()) continue;
    parts.push(text.slice(end, matcher.start()), replacement);
    end = matcher.end();
  }
  return parts.join("") + text.slice(end);
}
