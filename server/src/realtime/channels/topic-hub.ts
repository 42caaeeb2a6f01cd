import { type BroadcastContent, renderBroadcast } from "../wire/broadcast-frame.ts";
import type { OutFrame, Vsn } from "../wire/protocol.ts";
import { renderFrame } from "../wire/render-frame.ts";
import type { Channel } from "./channel.ts";

/** The channels of this node by topic. */
export class TopicHub {
  readonly #topics = new Map<string, Set<Channel>>();

  add(channel: Channel): void {
    const channels = this.#topics.get(channel.hubKey);
    if (channels === undefined) this.#topics.set(channel.hubKey, new Set([channel]));
    else channels.add(channel);
    channel.onEnd(() => this.#remove(channel));
  }

  countOf(hubKey: string): number {
    return this.#topics.get(hubKey)?.size ?? 0;
  }

  /** `exceptId` is the sending channel when it does not receive its own messages; `storedId` is the id of a stored message. */
  broadcast(hubKey: string, content: BroadcastContent, exceptId: string | null, storedId: string | null): void {
    const frameOf = renderPerVsn((vsn) => renderBroadcast(vsn, content));
    for (const channel of this.#membersOf(hubKey)) {
      if (channel.id === exceptId || !channel.readable.has("broadcast")) continue;
      const frame = frameOf(channel.vsn);
      if (frame !== null) channel.push(frame, storedId);
    }
  }

  sendPresenceDiff(hubKey: string, diffJson: string): void {
    let frameOf: ((vsn: Vsn) => OutFrame | null) | null = null;
    for (const channel of this.#membersOf(hubKey)) {
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

  /** Needs no copy: a channel that ends leaves the set, and one that joins gets the frame or the state. */
  #membersOf(hubKey: string): Iterable<Channel> {
    return this.#topics.get(hubKey) ?? [];
  }

  #remove(channel: Channel): void {
    const channels = this.#topics.get(channel.hubKey);
    channels?.delete(channel);
    if (channels?.size === 0) this.#topics.delete(channel.hubKey);
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
