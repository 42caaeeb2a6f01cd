import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { createEventParser, type ServerSentEvent } from "../src/client/event-parser.ts";

function parse(...pieces: readonly string[]): ServerSentEvent[] {
  const parser = createEventParser();
  return pieces.flatMap((piece) => parser.push(piece));
}

describe("the parser of server-sent events", () => {
  test("reads ids, types and data, and skips comments and unknown fields", () => {
    assert.deepEqual(parse(": ping\n\nid: 7\nevent: done\ndata: {}\nretry: 5\n\n"), [
      { id: "7", event: "done", data: "{}" },
    ]);
    assert.deepEqual(parse("data:a\ndata: b\ndata:  c\n\n"), [{ id: null, event: "message", data: "a\nb\n c" }]);
    assert.deepEqual(parse("\uFEFFdata\n\n"), [{ id: null, event: "message", data: "" }]);
    assert.deepEqual(parse("event: only\n\nid: 1\n\n"), []);
    assert.deepEqual(parse("data: cut off"), []);
  });

  test("reads the same events wherever the pieces end and however lines end", () => {
    const text = fc.string({ unit: fc.constantFrom("a", " ", ":", "é", "{", "id") });
    const event = fc.record(
      { id: fc.option(fc.nat().map(String)), event: text.map((name) => `x${name}`), data: text },
      { noNullPrototype: true },
    );
    fc.assert(
      fc.property(
        fc.array(event),
        fc.constantFrom("\n", "\r\n", "\r"),
        fc.array(fc.nat(), { maxLength: 20 }),
        (events, end, cuts) => {
          const whole = events
            .map(({ id, event: name, data }) =>
              [...(id === null ? [] : [`id: ${id}`]), `event: ${name}`, `data: ${data}`, "", ""].join(end),
            )
            .join("");
          const places = [0, ...cuts.map((cut) => cut % (whole.length + 1)).toSorted((a, b) => a - b), whole.length];
          const pieces = places.slice(1).map((place, index) => whole.slice(places[index], place));
          // The last line break may be the first half of a longer one.
          const read = parse(...pieces, end === "\r" ? "\n" : "");
          assert.deepEqual(read, events);
        },
      ),
    );
  });
});
