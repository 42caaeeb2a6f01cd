import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createCalibration, estimateTokens } from "../../../src/agents/context/estimate-tokens.ts";

test("Latin text by its length, wide characters one by one", () => {
  assert.equal(estimateTokens(""), 0);
  assert.equal(estimateTokens("a".repeat(36)), 10);
  assert.equal(estimateTokens("a".repeat(36), 4), 9);
  assert.equal(estimateTokens("漢字漢字"), 4);
  assert.equal(estimateTokens(`${"a".repeat(36)}漢字`), 12);
  assert.equal(estimateTokens("abcd", Number.NaN), 2);
});

test("two texts joined are never estimated above their sum", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), fc.double(), (one, other, ratio) =>
      assert.ok(estimateTokens(one + other, ratio) <= estimateTokens(one, ratio) + estimateTokens(other, ratio)),
    ),
  );
});

test("a model's ratio comes to what the vendor counts, and another model's stays", () => {
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

test("nonsense and tiny prompts teach nothing; the number of models is bounded", () => {
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
