import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { renderBroadcast } from "../../src/realtime/wire/render-broadcast.ts";
import { ChangeFrames } from "../../src/realtime/wire/change-frames.ts";
import { FrameError, parseBinaryFrame, parseTextFrame } from "../../src/realtime/wire/parse-frame.ts";
import { renderFrame } from "../../src/realtime/wire/render-frame.ts";
import { ANY_CHARACTER } from "../support/any-character.ts";

describe("text frames", () => {
  it("text frames are arrays of five in 2.0.0 and objects in 1.0.0", () => {
    const expected = { kind: "message", joinRef: "1", ref: "2", topic: "realtime:a", event: "e", payload: { x: 1 } };
    assert.deepEqual(parseTextFrame("2.0.0", '["1","2","realtime:a","e",{"x":1}]'), expected);
    assert.deepEqual(
      parseTextFrame("1.0.0", '{"topic":"realtime:a","event":"e","payload":{"x":1},"ref":"2","join_ref":"1"}'),
      expected,
    );
  });

  it("text frames of another shape are rejected", () => {
    for (const text of ["", "{", "{}", "[]", '["1","2","t"]', '[{},null,"t","e",{}]', "null", '"x"'])
      assert.throws(() => parseTextFrame("2.0.0", text), FrameError, text);
    for (const text of ["[]", "{}", "3", '{"topic":1,"event":"e"}'])
      assert.throws(() => parseTextFrame("1.0.0", text), FrameError, text);
  });

  it("rendered text frames parse back to the same values", () => {
    const text = fc.string({ unit: ANY_CHARACTER });
    fc.assert(
      fc.property(text, text, text, text, fc.json(), (joinRef, ref, topic, event, json) => {
        for (const vsn of ["1.0.0", "2.0.0"] as const) {
          const { bytes } = renderFrame(vsn, { joinRef, ref, topic, event }, json);
          const { payload, ...head } = parseTextFrame(vsn, bytes.toString());
          assert.deepEqual(head, { kind: "message", joinRef, ref, topic, event });
          assert.deepEqual(payload, JSON.parse(json));
        }
      }),
    );
  });
});

describe("binary frames", () => {
  it("binary frames of the client are parsed", () => {
    const bytes = Buffer.from(`\x03\x01\x01\x0e\x05\x00\x0168realtime:room1hello{"x":1}`, "latin1");
    assert.deepEqual(parseBinaryFrame("2.0.0", bytes), {
      kind: "broadcast",
      joinRef: "6",
      ref: "8",
      topic: "realtime:room1",
      event: "hello",
      metadata: "",
      isBinary: false,
      payload: Buffer.from('{"x":1}'),
    });
  });

  it("binary frames of another kind, encoding or length are rejected", () => {
    for (const bytes of [[], [3], [0, 0, 0, 0, 0, 0, 0], [3, 0, 0, 0, 0, 0, 2], [3, 9, 0, 0, 0, 0, 1, 65]])
      assert.throws(() => parseBinaryFrame("2.0.0", Buffer.from(bytes)), FrameError);
    assert.throws(() => parseBinaryFrame("1.0.0", Buffer.from([3, 0, 0, 0, 0, 0, 1])), FrameError);
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        try {
          parseBinaryFrame("2.0.0", Buffer.from([3, ...bytes]));
        } catch (error) {
          assert.ok(error instanceof FrameError);
        }
      }),
    );
  });
});

describe("a broadcast", () => {
  const content = { name: "räum", event: "é", isBinary: false, payload: Buffer.from('{"a":1}'), meta: '{"id":"1"}' };

  it("a broadcast is a binary frame of kind 4 in 2.0.0", () => {
    const frame = renderBroadcast("2.0.0", content);
    assert.ok(frame?.isBinary);
    const topic = Buffer.from("realtime:räum");
    assert.deepEqual([...frame.bytes.subarray(0, 5)], [4, topic.length, 2, 10, 1]);
    assert.equal(frame.bytes.subarray(5).toString(), 'realtime:räumé{"id":"1"}{"a":1}');
  });

  it("a broadcast is text in 1.0.0, and in 2.0.0 when a name exceeds 255 bytes", () => {
    const text = '{"type":"broadcast","event":"é","payload":{"a":1},"meta":{"id":"1"}}';
    const first = renderBroadcast("1.0.0", content);
    assert.equal(first?.isBinary, false);
    assert.deepEqual(parseTextFrame("1.0.0", String(first?.bytes)).payload, JSON.parse(text));
    const long = renderBroadcast("2.0.0", { ...content, name: "x".repeat(300) });
    assert.equal(long?.isBinary, false);
    assert.deepEqual(parseTextFrame("2.0.0", String(long?.bytes)).payload, JSON.parse(text));
  });

  it("a binary broadcast cannot be rendered in 1.0.0", () => {
    assert.equal(renderBroadcast("1.0.0", { ...content, isBinary: true }), null);
    assert.equal(renderBroadcast("2.0.0", { ...content, isBinary: true })?.bytes[4], 0);
  });
});

describe("frames of a change", () => {
  it("frames of a change are shared between equal channels and never reused for another change", () => {
    const frames = new ChangeFrames();
    const [one, same] = [frames.acquire("2.0.0", "realtime:a", "1"), frames.acquire("2.0.0", "realtime:a", "1")];
    const other = frames.acquire("2.0.0", "realtime:a", "2");
    const first = one.render([1], '{"n":1}');
    assert.equal(same.render([1], '{"n":1}'), first);
    assert.notEqual(same.render([1, 2], '{"n":1}'), first);
    assert.deepEqual(JSON.parse(String(first.bytes)), [
      "1",
      null,
      "realtime:a",
      "postgres_changes",
      { ids: [1], data: { n: 1 } },
    ]);
    assert.deepEqual(JSON.parse(String(other.render([1], '{"n":1}').bytes))[0], "2");
    assert.deepEqual(JSON.parse(String(one.render([1], '{"n":2}').bytes))[4], { ids: [1], data: { n: 2 } });
    assert.equal(one.render([1], '{"n":1}').bytes.toString(), first.bytes.toString());
  });
});
