import { type BroadcastContent, renderBroadcast } from "../wire/render-broadcast.ts";
import type { OutFrame, Vsn } from "../wire/protocol.ts";
import { renderFrame } from "../wire/render-frame.ts";
import { SetsByKey } from "../sets-by-key.ts";
import type { Channel } from "./channel.ts";

/** The channels of this node by topic. */
export class TopicChannels {
  readonly #topics = new SetsByKey<Channel>();

  add(channel: Channel): void {
    this.#topics.add(channel.topicKey, channel);
    channel.onEnd(() => this.#topics.delete(channel.topicKey, channel));
  }

  countOf(topicKey: string): number {
    return this.#topics.get(topicKey).size;
  }

  /** `exceptId` is the sending channel when it does not receive its own messages; `storedId` is the id of a stored message. */
  broadcast(topicKey: string, content: BroadcastContent, exceptId: string | null, storedId: string | null): void {
    const frameOf = renderPerVsn((vsn) => renderBroadcast(vsn, content));
    for (const channel of this.#topics.get(topicKey)) {
      if (channel.id === exceptId || !channel.readable.has("broadcast")) continue;
      const frame = frameOf(channel.vsn);
      if (frame !== null) channel.push(frame, storedId);
    }
  }

  sendPresenceDiff(topicKey: string, diffJson: string): void {
    let frameOf: ((vsn: Vsn) => OutFrame | null) | null = null;
    for (const channel of this.#topics.get(topicKey)) {
      // The reply of a join contains the state, which includes this diff.
      if (channel.phase === "joining") continue;
      if (!channel.config.isPresenceShown || !channel.readable.has("presence")) continue;
      const { topic } = channel;
      frameOf ??= renderPerVsn((vsn) =>
        renderFrame(vsn, { joinRef: null, ref: null, topic, event: "presence_diff" }, diffJson),
      );
      const frame = frameOf(channel.vsn);
      if (frame !== null) channel.push(frame);
    }
  }
}

function renderPerVsn(render: (vsn: Vsn) => OutFrame | null): (vsn: Vsn) => OutFrame | null {
  const frames = new Map<Vsn, OutFrame | null>();
  return (vsn) => {
    let frame = frames.get(vsn);
    if (frame === undefined) {
      frame = render(vsn);
      frames.set(vsn, frame);
    }
    return frame;
  };
}
