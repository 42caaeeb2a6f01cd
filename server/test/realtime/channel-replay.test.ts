import assert from "node:assert/strict";
import { test } from "node:test";
import { Channel } from "../../src/realtime/channels/channel.ts";
import { parseJoinConfig } from "../../src/realtime/channels/join-config.ts";
import { TopicHub } from "../../src/realtime/channels/topic-hub.ts";
import { renderBroadcast } from "../../src/realtime/wire/broadcast-frame.ts";
import type { OutFrame } from "../../src/realtime/wire/protocol.ts";

const NAME = "room";

test("a message stored during a join is delivered exactly once", () => {
  const { channel, hub, sent } = stage();
  send(hub, "shown", "1");
  send(hub, "held", "2");
  channel.open([frameOf("shown")], ["1", "3"]);
  send(hub, "late", "3");
  send(hub, "new", "4");
  send(hub, "not kept", null);
  assert.deepEqual(sent, ["shown", "held", "new", "not kept"]);
});

test("a joining channel gets no presence diff that its state includes", () => {
  const { channel, hub, sent } = stage();
  hub.sendPresenceDiff(channel.hubKey, '{"joins":{},"leaves":{}}');
  channel.open([], []);
  assert.deepEqual(sent, []);
  hub.sendPresenceDiff(channel.hubKey, '{"joins":{},"leaves":{}}');
  assert.equal(sent.length, 1);
});

function stage(): { channel: Channel; hub: TopicHub; sent: string[] } {
  const sent: string[] = [];
  const channel = new Channel({
    id: "a",
    socket: { vsn: "1.0.0", apikey: "", send: (frame) => sent.push(eventOf(frame)), channels: [], forget: () => {} },
    topic: `realtime:${NAME}`,
    joinRef: "1",
    config: parseJoinConfig({ config: { private: true, presence: { enabled: true } } }),
    presenceKey: "a",
  });
  channel.readable = new Set(["broadcast", "presence"]);
  const hub = new TopicHub();
  hub.add(channel);
  return { channel, hub, sent };
}

function send(hub: TopicHub, event: string, storedId: string | null): void {
  hub.broadcast(`private:${NAME}`, contentOf(event), null, storedId);
}

function frameOf(event: string): OutFrame {
  const frame = renderBroadcast("1.0.0", contentOf(event));
  assert.ok(frame !== null);
  return frame;
}

function contentOf(event: string) {
  return { name: NAME, event, isBinary: false, payload: Buffer.from("{}"), meta: null };
}

function eventOf({ bytes }: OutFrame): string {
  const { event, payload } = JSON.parse(bytes.toString()) as { event: string; payload: { event?: string } };
  return payload.event ?? event;
}
