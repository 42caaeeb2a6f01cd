import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ANY_CHARACTER } from "../../support/any-character.ts";
import { createCalibration, estimateTokens } from "../../../src/agents/providers/estimate-tokens.ts";

test("estimateTokens counts Latin text by its length and wide characters one by one", () => {
  assert.equal(estimateTokens(""), 0);
  assert.equal(estimateTokens("a".repeat(36)), 10);
  assert.equal(estimateTokens("a".repeat(36), 4), 9);
  assert.equal(estimateTokens("漢字漢字"), 4);
  assert.equal(estimateTokens(`${"a".repeat(36)}漢字`), 12);
  assert.equal(estimateTokens("abcd", Number.NaN), 2);
});

test("the estimate of a joined text never exceeds the sum of its parts", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: ANY_CHARACTER }),
      fc.string({ unit: ANY_CHARACTER }),
      fc.double(),
      (one, other, ratio) =>
        assert.ok(estimateTokens(one + other, ratio) <= estimateTokens(one, ratio) + estimateTokens(other, ratio)),
    ),
  );
});

test("the ratio of a model converges to the vendor's count and does not affect other models", () => {
  const calibration = createCalibration();
  const text = "word ".repeat(400);
  const realTokens = text.length / 5;
  for (let call = 0; call < 60; call += 1) {
    const estimated = estimateTokens(text, calibration.ratioFor("m"));
    calibration.learn("m", estimated, realTokens);
  }
  assert.ok(Math.abs(calibration.ratioFor("m") - 5) < 0.1);
  assert.equal(calibration.ratioFor("other"), 3.6);
});

test("the calibration ignores invalid numbers and tiny prompts, and limits the number of models", () => {
  const calibration = createCalibration();
  for (const [estimated, real] of [
    [0, 100],
    [100, 0],
    [Number.NaN, 100],
    [100, Number.NaN],
    [-100, -100],
    [10, 49],
  ] as const)
    calibration.learn("m", estimated, real);
  assert.equal(calibration.ratioFor("m"), 3.6);

  for (let model = 0; model < 400; model += 1) calibration.learn(`m${model}`, 1000, 500);
  assert.equal(calibration.ratioFor("m0"), 3.6);
  assert.notEqual(calibration.ratioFor("m399"), 3.6);
});
