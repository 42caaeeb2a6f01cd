import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { type TextDelta, readChatEnd, readChatFrame } from "../src/chat-frames.ts";
import { createStreamPace } from "../../../server/test/support/providers/protocols.ts";
import { createTextFilter } from "../src/text-filter.ts";

const frame = (delta: unknown, more: Record<string, unknown> = {}, choice: Record<string, unknown> = {}) =>
  JSON.stringify({ id: "c", choices: [{ index: 0, delta, finish_reason: null, ...choice }], ...more });

describe("readChatFrame", () => {
  test("reads a frame that holds only text or reasoning", () => {
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

  test("returns null for every other frame", () => {
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

describe("readChatEnd", () => {
  const usage = { prompt_tokens: 12, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 4 } };
  const counted = { inputTokens: 12, cachedInputTokens: 4, outputTokens: 7, reasoningTokens: 0 };

  test("reads frames that hold only the finish reason or the usage", () => {
    assert.deepEqual(readChatEnd(" [DONE]"), {});
    assert.deepEqual(readChatEnd(frame({}, {}, { finish_reason: "stop" })), { reason: "stop" });
    assert.deepEqual(readChatEnd(frame({ content: "" }, { usage: null }, { finish_reason: "length" })), {
      reason: "length",
    });
    assert.deepEqual(readChatEnd(JSON.stringify({ choices: [], usage })), { usage: counted });
    assert.deepEqual(readChatEnd(frame({}, { usage }, { finish_reason: "stop" })), { reason: "stop", usage: counted });
  });

  test("returns null for frames with any other content", () => {
    for (const json of [
      "{nonsense",
      "[]",
      JSON.stringify({ error: { message: "no" }, choices: [] }),
      JSON.stringify({ usage }),
      JSON.stringify({ choices: [], usage: { prompt_tokens: "12", completion_tokens: 7 } }),
      JSON.stringify({ choices: [], usage: { prompt_tokens: 12, completion_tokens: -7 } }),
      JSON.stringify({ choices: [], usage: [] }),
      frame({ content: "late" }, {}, { finish_reason: "stop" }),
      frame({ tool_calls: [] }, {}, { finish_reason: "stop" }),
      frame({}, {}, { finish_reason: "tool_calls" }),
      frame({}, {}, { finish_reason: "content_filter" }),
      JSON.stringify({ choices: [{ delta: {}, finish_reason: "stop" }, { delta: {} }] }),
    ])
      assert.equal(readChatEnd(json), null, json);
  });

  test("the filter consumes the whole answer unless an unexpected frame occurs before, within or after the end", () => {
    const data = (json: string) => `data: ${json}\n\n`;
    const words = [data(frame({ role: "assistant", content: "" })), data(frame({ content: "hi" }))];
    const finish = data(frame({}, {}, { finish_reason: "stop" }));
    const tail = [finish, data(JSON.stringify({ choices: [], usage })), "data: [DONE]\n\n"];
    const late = data(frame({ content: "late" }));
    const filterAll = (frames: readonly string[], cuts: readonly number[]) => {
      const received: string[] = [];
      const bytes = Buffer.from(frames.join(""));
      const filter = createTextFilter(readChatFrame, ({ delta }) => received.push(delta), readChatEnd);
      const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
      const passed = places.map((from, index) => filter.push(bytes.subarray(from, places[index + 1] ?? bytes.length)));
      passed.push(filter.end());
      const text = Buffer.concat(passed.filter((piece) => piece !== null)).toString();
      return { received: received.join(""), passed: text, end: filter.streamEnd };
    };
    fc.assert(
      fc.property(fc.array(fc.nat(2_000), { maxLength: 40 }), (cuts) => {
        const end = { reason: "stop", usage: counted };
        assert.deepEqual(filterAll([...words, ...tail], cuts), { received: "hi", passed: "", end });
        assert.deepEqual(filterAll([...words, finish], cuts).end, { reason: "stop", usage: null });
        for (const odd of [[late], [finish, late], [finish, "data: {"], []]) {
          const result = filterAll([...words, ...odd], cuts);
          const isLate = odd[0] === late;
          const left = isLate ? words[0] : `${words[0]}${odd.join("")}`;
          assert.deepEqual(result, { received: isLate ? "hilate" : "hi", passed: left, end: null });
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe("createTextFilter", () => {
  const filterAll = (bytes: Uint8Array, cuts: readonly number[]) => {
    const words: TextDelta[] = [];
    const passed: Uint8Array[] = [];
    const filter = createTextFilter(readChatFrame, (one) => words.push(one));
    const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
    for (const [index, from] of places.entries()) {
      const out = filter.push(bytes.subarray(from, places[index + 1] ?? bytes.length));
      if (out !== null) passed.push(out);
    }
    const rest = filter.end();
    if (rest !== null) passed.push(rest);
    return { text: words.map(({ delta }) => delta).join(""), passed: Buffer.concat(passed).toString() };
  };
  const data = (json: string) => `data: ${json}\n\n`;

  test("extracts the text for any chunking of the bytes and passes the rest unchanged", () => {
    const head = data(frame({ role: "assistant", content: "" }));
    const texts = ["Grüße ", "an 🐝", "\n\n", "data: x"].map((content) => data(frame({ content })));
    const tail = [data(frame({}, {}, { finish_reason: "stop" })), data(frame({ content: "late" })), "data: [DONE]\n\n"];
    const bytes = Buffer.from([head, ": ping\n\n", ...texts, ...tail].join(""));
    fc.assert(
      fc.property(fc.array(fc.nat(5_000), { maxLength: 60 }), (cuts) => {
        assert.deepEqual(filterAll(bytes, cuts), { text: "Grüße an 🐝\n\ndata: x", passed: head + tail.join("") });
      }),
      { numRuns: 100, examples: [[Array.from(bytes.keys())]] },
    );
  });

  test("passes everything after the first frame that is not text", () => {
    const odd = data(frame({ content: [{ type: "text", text: "b" }] }));
    const stream = [data(frame({ content: "a" })), odd, data(frame({ content: "c" }))].join("");
    assert.deepEqual(filterAll(Buffer.from(stream), []), { text: "a", passed: stream.slice(stream.indexOf(odd)) });
  });

  test("passes frames with several lines, other fields or no end", () => {
    const plain = frame({ content: "a" });
    for (const stream of [`event: x\ndata: ${plain}\n\n`, `data: ${plain}`, `data: {\ndata: }\n\n`, "<html>\r\n\r\n"])
      assert.deepEqual(filterAll(Buffer.from(stream), [3]), { text: "", passed: stream });
    assert.deepEqual(filterAll(Buffer.from(`data:${plain}\r\n\r\n`), [3]), { text: "a", passed: "" });
  });
});

test("the stream pace pauses only with many streams and counts the end of a stream once", () => {
  const pace = createStreamPace();
  const leave = Array.from({ length: 50 }, () => pace.enter());
  assert.equal(pace.pauseMs(), 0);
  const more = Array.from({ length: 450 }, () => pace.enter());
  assert.equal(pace.pauseMs(), 200);
  for (const over of [...more, ...more]) over();
  assert.equal(pace.pauseMs(), 0);
  for (const over of leave) over();
});
