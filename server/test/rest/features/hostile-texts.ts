import fc from "fast-check";
import { ANY_CHARACTER } from "../../support/any-character.ts";

/** Values that would inject SQL if they were not escaped. `hidden.trap()` records that it was called. */
const INJECTIONS = [
  "'; select hidden.trap(); --",
  "' or hidden.trap() --",
  "') or hidden.trap() or ('",
  '" or hidden.trap() or "',
  '"; select hidden.trap(); --',
  '",hidden.trap() as "x',
  "\\'; select hidden.trap(); --",
  "$$; select hidden.trap(); $$",
  "1); select hidden.trap(); --",
  "text)||hidden.trap()::text||('",
  "hidden.trap()",
  "hidden.trap",
  "$1",
  "%s%n%I%L",
  "{{}}",
  "*/ hidden.trap() /*",
  "\n; select hidden.trap()\n",
];

const ODD_VALUES = [
  "",
  "null",
  "not_null",
  "true",
  "0",
  "-1",
  "1e400",
  "NaN",
  "Infinity",
  "-0",
  "99999999999999999999999",
  "(a,b)",
  "{a,b}",
  "{",
  "()",
  "(",
  '"',
  "\\",
  '{"a":"\\u0000"}',
  "[1,2)",
  "2020-13-45",
  "infinity",
  "00000000-0000-4000-8000-000000000000",
  "%",
  "*",
  "é",
  "\u{1f600}",
  "\ud800",
  "\0",
  "a&b|c!",
  "((((",
  "[[:alpha:]",
  "$.**",
  "auth.uid()",
  "__proto__",
  "constructor",
];

export const anyText = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...ODD_VALUES) },
  { weight: 3, arbitrary: fc.constantFrom(...INJECTIONS) },
  { weight: 2, arbitrary: fc.string({ unit: ANY_CHARACTER, maxLength: 20 }) },
  { weight: 1, arbitrary: fc.string({ maxLength: 80 }) },
);

/** Unpaired surrogates cannot be written as UTF-8; the bytes that old programs write for them can be sent. */
export function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
