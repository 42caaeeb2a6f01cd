import assert from "node:assert/strict";
import { test } from "node:test";
import { Channel } from "../../src/realtime/channels/channel.ts";
import { parseJoinConfig } from "../../src/realtime/channels/join-config.ts";
import { TopicChannels } from "../../src/realtime/channels/topic-channels.ts";
import { renderBroadcast } from "../../src/realtime/wire/render-broadcast.ts";
import type { OutFrame } from "../../src/realtime/wire/protocol.ts";

const NAME = "room";

test("a message stored during a join is delivered exactly once", () => {
  const { channel, topics, sent } = stage();
  send(topics, "shown", "1");
  send(topics, "held", "2");
  channel.open([frameOf("shown")], ["1", "3"]);
  send(topics, "late", "3");
  send(topics, "new", "4");
  send(topics, "not kept", null);
  assert.deepEqual(sent, ["shown", "held", "new", "not kept"]);
});

test("a joining channel gets no presence diff that its state includes", () => {
  const { channel, topics, sent } = stage();
  topics.sendPresenceDiff(channel.topicKey, '{"joins":{},"leaves":{}}');
  channel.open([], []);
  assert.deepEqual(sent, []);
  topics.sendPresenceDiff(channel.topicKey, '{"joins":{},"leaves":{}}');
  assert.equal(sent.length, 1);
});

function stage(): { channel: Channel; topics: TopicChannels; sent: string[] } {
  const sent: string[] = [];
  const channel = new Channel({
    id: "a",
    socket: {
      vsn: "1.0.0",
      apikey: "",
      address: null,
      isBehind: false,
      send: (frame) => sent.push(eventOf(frame)),
      channels: [],
      forget: () => {},
    },
    topic: `realtime:${NAME}`,
    joinRef: "1",
    config: parseJoinConfig({ config: { private: true, presence: { enabled: true } } }),
    presenceKey: "a",
  });
  channel.readable = new Set(["broadcast", "presence"]);
  const topics = new TopicChannels();
  topics.add(channel);
  return { channel, topics, sent };
}

function send(topics: TopicChannels, event: string, storedId: string | null): void {
  topics.broadcast(`private:${NAME}`, contentOf(event), null, storedId);
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
