import assert from "node:assert/strict";
import { test } from "node:test";
import { MAX_JSON_DEPTH } from "../../src/json/index.ts";
import { parseAnnounced, renderAnnounced } from "../../src/realtime/private/stored-message.ts";

const nested = (levels: number): string => `${"[".repeat(levels)}${"]".repeat(levels)}`;

test("a stored message with the maximum nesting is returned unchanged", () => {
  const payload = Buffer.from(nested(MAX_JSON_DEPTH));
  const message = { id: "1", topic: "t", event: "e", isPrivate: true, isBinary: false, sender: null, payload };
  assert.deepEqual(parseAnnounced(Buffer.from(renderAnnounced(message))), message);
});

test("a message that SQL nests too deeply is ignored", () => {
  for (const levels of [MAX_JSON_DEPTH + 1, 200_000]) {
    const content = `{"id":"1","topic":"t","event":"e","payload":${nested(levels)}}`;
    assert.equal(parseAnnounced(Buffer.from(content)) === null, true);
  }
});
