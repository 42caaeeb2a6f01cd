import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { createStreamPace } from "../../../server/test/support/providers/protocols.ts";
import { PlainText, readChatEnd, readChatFrame } from "../src/plain-text.ts";

/** Passes the bytes on in pieces that end at the cuts. Returns the text that was read, what is left for the package, and the end. */
async function readAll(bytes: Uint8Array, cuts: readonly number[], readsEnd: boolean) {
  const plain = new PlainText({ readsEnd });
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  const passed = places.map((from, index) => plain.push(bytes.subarray(from, places[index + 1] ?? bytes.length)));
  passed.push(plain.finish());
  let text = "";
  for (let deltas = await plain.next(); deltas !== null; deltas = await plain.next())
    text += deltas.map(({ delta }) => delta).join("");
  return { text, passed: Buffer.concat(passed.filter((piece) => piece !== null)).toString(), end: plain.end };
}

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

  test("the whole answer is read unless an unexpected frame occurs before, within or after the end", async () => {
    const data = (json: string) => `data: ${json}\n\n`;
    const words = [data(frame({ role: "assistant", content: "" })), data(frame({ content: "hi" }))];
    const finish = data(frame({}, {}, { finish_reason: "stop" }));
    const tail = [finish, data(JSON.stringify({ choices: [], usage })), "data: [DONE]\n\n"];
    const late = data(frame({ content: "late" }));
    const read = (frames: readonly string[], cuts: readonly number[]) =>
      readAll(Buffer.from(frames.join("")), cuts, true);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(2_000), { maxLength: 40 }), async (cuts) => {
        const end = { reason: "stop", usage: counted };
        assert.deepEqual(await read([...words, ...tail], cuts), { text: "hi", passed: "", end });
        assert.deepEqual((await read([...words, finish], cuts)).end, { reason: "stop", usage: null });
        for (const odd of [[late], [finish, late], [finish, "data: {"], []]) {
          const result = await read([...words, ...odd], cuts);
          const isLate = odd[0] === late;
          const left = isLate ? words[0] : `${words[0]}${odd.join("")}`;
          assert.deepEqual(result, { text: isLate ? "hilate" : "hi", passed: left, end: null });
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe("PlainText", () => {
  const filterAll = async (bytes: Uint8Array, cuts: readonly number[]) => {
    const { text, passed } = await readAll(bytes, cuts, false);
    return { text, passed };
  };
  const data = (json: string) => `data: ${json}\n\n`;

  test("extracts the text for any chunking of the bytes and passes the rest unchanged", async () => {
    const head = data(frame({ role: "assistant", content: "" }));
    const texts = ["Grüße ", "an 🐝", "\n\n", "data: x"].map((content) => data(frame({ content })));
    const tail = [data(frame({}, {}, { finish_reason: "stop" })), data(frame({ content: "late" })), "data: [DONE]\n\n"];
    const bytes = Buffer.from([head, ": ping\n\n", ...texts, ...tail].join(""));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(5_000), { maxLength: 60 }), async (cuts) => {
        assert.deepEqual(await filterAll(bytes, cuts), {
          text: "Grüße an 🐝\n\ndata: x",
          passed: head + tail.join(""),
        });
      }),
      { numRuns: 100, examples: [[Array.from(bytes.keys())]] },
    );
  });

  test("passes everything after the first frame that is not text", async () => {
    const odd = data(frame({ content: [{ type: "text", text: "b" }] }));
    const stream = [data(frame({ content: "a" })), odd, data(frame({ content: "c" }))].join("");
    assert.deepEqual(await filterAll(Buffer.from(stream), []), {
      text: "a",
      passed: stream.slice(stream.indexOf(odd)),
    });
  });

  test("passes frames with several lines, other fields or no end", async () => {
    const plain = frame({ content: "a" });
    for (const stream of [`event: x\ndata: ${plain}\n\n`, `data: ${plain}`, `data: {\ndata: }\n\n`, "<html>\r\n\r\n"])
      assert.deepEqual(await filterAll(Buffer.from(stream), [3]), { text: "", passed: stream });
    assert.deepEqual(await filterAll(Buffer.from(`data:${plain}\r\n\r\n`), [3]), { text: "a", passed: "" });
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
