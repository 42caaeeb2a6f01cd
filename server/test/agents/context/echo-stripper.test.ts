import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { ANY_CHARACTER } from "../../support/any-character.ts";
import { createEchoStripper } from "../../../src/agents/context/echo-stripper.ts";

function strip(name: string, ...deltas: readonly string[]): string {
  const stripper = createEchoStripper(name);
  return deltas.map((delta) => stripper.push(delta)).join("") + stripper.end();
}

describe("the echo stripper removes the agent's name", () => {
  const cases: readonly (readonly [text: string, shown: string])[] = [
    ["[Max]: Hello", "Hello"],
    ["[max] :\n Hello", "Hello"],
    ["  [MAX]:Hello", "Hello"],
    ["[Max]: [Max]: Hello", "Hello"],
    ["[Max]: ", ""],
    ["Hello [Max]: there", "Hello [Max]: there"],
    ["[Maxi]: Hello", "[Maxi]: Hello"],
    ["[Ann]: Hello", "[Ann]: Hello"],
    ["[Max] Hello", "[Max] Hello"],
    ["[Ma", "[Ma"],
    ["  Hello", "  Hello"],
    ["", ""],
  ];
  for (const [text, shown] of cases)
    test(JSON.stringify(text), () => {
      assert.equal(strip("Max", text), shown);
      assert.equal(strip("Max", ...text.split("")), shown);
    });

  test("in the form of its label", () => assert.equal(strip("M[a]x\n", "[M a x]: Hi"), "Hi"));
});

test("the echo stripper emits an answer without a prefix from its first character", () => {
  const stripper = createEchoStripper("Max");
  assert.equal(stripper.push("H"), "H");
  assert.equal(stripper.push("[Max]: i"), "[Max]: i");
});

test("the echo stripper holds back a limited amount of white space", () => {
  const stripper = createEchoStripper("Max");
  assert.equal(stripper.push(" ".repeat(40)), " ".repeat(40));
});

test("the echo stripper returns the same text for any chunking", () => {
  const piece = fc.oneof(
    fc.constantFrom("[", "]", ":", " ", "\n", "[Max]", "[max]: ", "Max", "[Ma", "İ"),
    fc.string({ unit: ANY_CHARACTER, maxLength: 4 }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), fc.array(fc.nat(40), { maxLength: 8 }), (pieces, cuts) => {
      const text = pieces.join("");
      const points = [0, ...cuts.map((cut) => Math.min(cut, text.length)).sort((a, b) => a - b), text.length];
      const parts = points.slice(1).map((point, index) => text.slice(points[index], point));
      assert.equal(strip("Max", ...parts), strip("Max", text));
      assert.ok(text.endsWith(strip("Max", text)));
    }),
    { numRuns: 500 },
  );
});
