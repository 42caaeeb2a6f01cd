import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { type PlainWords, readChatFrame } from "../../../src/agents/providers/plain-words.ts";
import { createStreamPace } from "../../../src/agents/providers/stream-pace.ts";
import { createWordFilter } from "../../../src/agents/providers/word-filter.ts";

const frame = (delta: unknown, more: Record<string, unknown> = {}, choice: Record<string, unknown> = {}) =>
  JSON.stringify({ id: "c", choices: [{ index: 0, delta, finish_reason: null, ...choice }], ...more });

describe("a frame of a chat", () => {
  test("that is nothing but words is known by itself", () => {
    assert.deepEqual(readChatFrame(frame({ content: "hi" })), { type: "text", delta: "hi" });
    assert.deepEqual(readChatFrame(frame({ role: "assistant", content: "hi", tool_calls: null })), {
      type: "text",
      delta: "hi",
    });
    assert.deepEqual(readChatFrame(frame({ reasoning_content: "hm", content: null })), {
      type: "reasoning",
      delta: "hm",
    });
    assert.equal(readChatFrame(frame({ role: "assistant", content: "" })), "neutral");
  });

  test("that is anything else is left to the vendor's package", () => {
    for (const json of [
      "[DONE]",
      "{nonsense",
      "[]",
      "null",
      JSON.stringify({ error: { message: "no" } }),
      JSON.stringify({ choices: [] }),
      frame({ content: "hi" }, { usage: { prompt_tokens: 1 } }),
      frame({ content: "hi" }, {}, { finish_reason: "stop" }),
      frame({ content: [{ type: "text", text: "hi" }] }),
      frame({ content: "hi", reasoning_content: "hm" }),
      frame({ refusal: "no" }),
      frame({ content: "hi", tool_calls: [{ index: 0 }] }),
      frame("hi"),
    ])
      assert.equal(readChatFrame(json), null, json);
  });
});

describe("the words of a stream", () => {
  const sift = (bytes: Uint8Array, cuts: readonly number[]) => {
    const words: PlainWords[] = [];
    const passed: Uint8Array[] = [];
    const filter = createWordFilter(readChatFrame, (one) => words.push(one));
    const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
    for (const [at, from] of places.entries()) {
      const out = filter.push(bytes.subarray(from, places[at + 1] ?? bytes.length));
      if (out !== null) passed.push(out);
    }
    const rest = filter.end();
    if (rest !== null) passed.push(rest);
    return { text: words.map(({ delta }) => delta).join(""), passed: Buffer.concat(passed).toString() };
  };
  const data = (json: string) => `data: ${json}\n\n`;

  test("come out whole wherever the bytes are cut, and the rest passes as it was", () => {
    const head = data(frame({ role: "assistant", content: "" }));
    const texts = ["Grüße ", "an 🐝", "\n\n", "data: x"].map((content) => data(frame({ content })));
    const tail = [data(frame({}, {}, { finish_reason: "stop" })), data(frame({ content: "late" })), "data: [DONE]\n\n"];
    const bytes = Buffer.from([head, ": ping\n\n", ...texts, ...tail].join(""));
    fc.assert(
      fc.property(fc.array(fc.nat(5_000), { maxLength: 60 }), (cuts) => {
        assert.deepEqual(sift(bytes, cuts), { text: "Grüße an 🐝\n\ndata: x", passed: head + tail.join("") });
      }),
      { numRuns: 100, examples: [[Array.from(bytes.keys())]] },
    );
  });

  test("after the first thing that is no word, all goes one way", () => {
    const odd = data(frame({ content: [{ type: "text", text: "b" }] }));
    const stream = [data(frame({ content: "a" })), odd, data(frame({ content: "c" }))].join("");
    assert.deepEqual(sift(Buffer.from(stream), []), { text: "a", passed: stream.slice(stream.indexOf(odd)) });
  });

  test("frames of several lines, with other fields or without an end pass", () => {
    const plain = frame({ content: "a" });
    for (const stream of [`event: x\ndata: ${plain}\n\n`, `data: ${plain}`, `data: {\ndata: }\n\n`, "<html>\r\n\r\n"])
      assert.deepEqual(sift(Buffer.from(stream), [3]), { text: "", passed: stream });
    assert.deepEqual(sift(Buffer.from(`data:${plain}\r\n\r\n`), [3]), { text: "a", passed: "" });
  });
});

test("few streams are read as they come, many at intervals, and one that is over counts once", () => {
  const pace = createStreamPace();
  const leave = Array.from({ length: 50 }, () => pace.enter());
  assert.equal(pace.restMs(), 0);
  const more = Array.from({ length: 450 }, () => pace.enter());
  assert.equal(pace.restMs(), 200);
  for (const over of [...more, ...more]) over();
  assert.equal(pace.restMs(), 0);
  for (const over of leave) over();
});
