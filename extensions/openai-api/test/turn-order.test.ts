import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type TextPart, TurnOrder } from "../src/turn-order.ts";

const textOf = (parts: Iterable<TextPart>): string => Array.from(parts, ({ text }) => text).join("");

function open(isBuffered = false): TurnOrder {
  const order = new TurnOrder({ isBuffered, isLabelled: false });
  order.start("t", "Ada");
  return order;
}

describe("a turn that begins again", () => {
  test("passes on the rest of a text that begins as before", () => {
    for (const [kept, first, second] of [
      ["", [], ["It is blue"]],
      ["Wait.", ["", " It", " is"], [" blue", ""]],
      ["Wait.", [" It is"], []],
    ] as const) {
      const order = open();
      let passed = "";
      for (const piece of [kept, ...first]) passed += textOf(order.add("t", piece));
      passed += textOf(order.restart("t", kept));
      for (const piece of [...first, ...second]) passed += textOf(order.add("t", piece));
      passed += textOf(order.end("t"));
      assert.equal(passed, [kept, ...first, ...second].join(""));
    }
  });

  test("is an error when its text differs from what was passed on", () => {
    const order = open();
    assert.equal(textOf(order.add("t", "It is red")), "It is red");
    assert.equal(textOf(order.restart("t", "")), "");
    assert.equal(textOf(order.add("t", "It is")), "");
    assert.throws(() => textOf(order.add("t", " blue")), /interrupted/);
  });

  test("is an error when it ends before the text that was passed on", () => {
    const order = open();
    textOf(order.add("t", "It is red"));
    textOf(order.restart("t", ""));
    textOf(order.add("t", "It"));
    assert.throws(() => textOf(order.end("t")), /interrupted/);
  });

  test("replaces text that was held back", () => {
    const order = open(true);
    textOf(order.add("t", "It is red"));
    textOf(order.restart("t", ""));
    textOf(order.add("t", "It is blue"));
    assert.equal(textOf(order.end("t")), "It is blue");
  });
});
