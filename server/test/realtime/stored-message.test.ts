import assert from "node:assert/strict";
import { test } from "node:test";
import { MAX_JSON_DEPTH } from "../../src/json/index.ts";
import { parseAnnounced, renderAnnounced } from "../../src/realtime/broadcast/stored-message.ts";

const nested = (levels: number): string => `${"[".repeat(levels)}${"]".repeat(levels)}`;

test("a kept message of the most levels that a body may have comes back whole", () => {
  const payload = Buffer.from(nested(MAX_JSON_DEPTH));
  const message = { id: "1", topic: "t", event: "e", isPrivate: true, isBinary: false, sender: null, payload };
  assert.deepEqual(parseAnnounced(Buffer.from(renderAnnounced(message))), message);
});

test("a message that SQL has nested too deeply to be sent is passed over", () => {
  const content = `{"id":"1","topic":"t","event":"e","payload":${nested(200_000)}}`;
  assert.equal(parseAnnounced(Buffer.from(content)), null);
});
