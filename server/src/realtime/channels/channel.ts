import type { SubscriptionHandle } from "../changes.ts";
import type { AuthenticatedPrincipal, ChannelExtension } from "../realtime-options.ts";
import type { ChangeFrames, ChangeGroup } from "../wire/change-frames.ts";
import { type OutFrame, TOPIC_PREFIX, type Vsn } from "../wire/protocol.ts";
import { renderFrame } from "../wire/render-frame.ts";
import type { JoinConfig } from "./join-config.ts";

/** What a channel needs of its socket. */
export interface ChannelSocket {
  readonly vsn: Vsn;
  readonly apikey: string;
  /** What counts as one client; null when it is not known. */
  readonly address: string | null;
  send(frame: OutFrame): void;
  /** Whether a considerable part of the send buffer is in use. */
  readonly isBehind: boolean;
  readonly channels: Iterable<Channel>;
  forget(channel: Channel): void;
}

interface ChannelOptions {
  readonly id: string;
  readonly socket: ChannelSocket;
  readonly topic: string;
  readonly joinRef: string | null;
  readonly config: JoinConfig;
  readonly presenceKey: string;
}

const MAX_HELD_FRAMES = 10_000;

/**
 * One socket's membership of one topic.
 *
 * joining: from the join to its reply. Frames for the channel are held until the reply is sent, because the client cannot
 *   match them before.
 * joined: frames are sent at once.
 * ended: by a leave, by the end of the socket, by `fail`, which makes the client join again, or by `close`, which does not.
 *   Nothing more is sent, and pending operations of the channel must not change that.
 */
export class Channel {
  readonly id: string;
  readonly socket: ChannelSocket;
  readonly topic: string;
  readonly name: string;
  /** Public and private channels of the same name are separate topics. */
  readonly topicKey: string;
  readonly joinRef: string | null;
  readonly config: JoinConfig;
  readonly presenceKey: string;
  admission: AuthenticatedPrincipal | null = null;
  token: string | null = null;
  isWarned = false;
  /** The token refreshes in progress. */
  refreshing: Promise<void> = Promise.resolve();
  readable: ReadonlySet<ChannelExtension> = new Set();
  /** When the access to a private topic was last checked. */
  accessCheckedAtMs = 0;
  /** Counts reported changes of access, so that the result of a check that began before the last one is discarded. */
  accessVersion = 0;
  /** Write permissions of the current token, queried on first use. */
  readonly writable = new Map<ChannelExtension, Promise<boolean>>();

  #phase: "joining" | "joined" | "ended" = "joining";
  #failure: string | null = null;
  #subscription: SubscriptionHandle | null = null;
  #changeFrames: ChangeGroup | null = null;
  #held: { readonly frame: OutFrame; readonly storedId: string | null }[] = [];
  #replayed: Set<string> = new Set();
  readonly #ending = new AbortController();
  readonly #closers: (() => void)[] = [];

  constructor({ id, socket, topic, joinRef, config, presenceKey }: ChannelOptions) {
    this.id = id;
    this.socket = socket;
    this.topic = topic;
    this.name = topic.slice(TOPIC_PREFIX.length);
    this.topicKey = topicKeyOf(this.name, config.isPrivate);
    this.joinRef = joinRef;
    this.config = config;
    this.presenceKey = presenceKey;
  }

  get vsn(): Vsn {
    return this.socket.vsn;
  }

  get phase(): "joining" | "joined" | "ended" {
    return this.#phase;
  }

  /** Why a join failed; null when the client left during the join. */
  get failure(): string | null {
    return this.#failure;
  }

  /** Aborted when the channel ends. */
  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  get subscription(): SubscriptionHandle | null {
    return this.#subscription;
  }

  /** The new subscription is live before the old one closes, so that no change is missed. */
  replaceSubscription(subscription: SubscriptionHandle): void {
    this.#subscription?.close();
    this.#subscription = subscription;
    if (this.#phase === "ended") subscription.close();
  }

  takeChangeFrames(frames: ChangeFrames): ChangeGroup {
    if (this.#changeFrames !== null) return this.#changeFrames;
    const group = frames.acquire(this.vsn, this.topic, this.joinRef);
    this.#changeFrames = group;
    this.onEnd(() => frames.release(group));
    return group;
  }

  /** Calls when the channel ends, or at once when it has ended. */
  onEnd(close: () => void): void {
    if (this.#phase === "ended") close();
    else this.#closers.push(close);
  }

  /** `storedId` is the id of a stored message, which is skipped when the replay of the join has sent it. */
  push(frame: OutFrame, storedId: string | null = null): void {
    switch (this.#phase) {
      case "joined":
        if (storedId === null || !this.#replayed.delete(storedId)) this.socket.send(frame);
        return;
      case "joining":
        this.#held.push({ frame, storedId });
        if (this.#held.length > MAX_HELD_FRAMES) this.fail("system", "Too much happened before the join was answered");
        return;
      case "ended":
        return;
    }
  }

  /** Sends the reply of the join with its replayed messages, then the held frames. */
  open(answer: readonly OutFrame[], replayedIds: readonly string[]): void {
    if (this.#phase !== "joining") return;
    this.#phase = "joined";
    this.#replayed = new Set(replayedIds);
    const held = this.#held;
    this.#held = [];
    for (const frame of answer) this.push(frame);
    for (const { frame, storedId } of held) this.push(frame, storedId);
  }

  pushSystem(extension: "system" | "postgres_changes", status: "ok" | "warning" | "error", message: string): void {
    this.push(this.renderSystem(extension, status, message));
  }

  renderSystem(extension: string, status: string, message: string): OutFrame {
    const payload = JSON.stringify({ extension, status, message, channel: this.name });
    return renderFrame(this.vsn, { joinRef: null, ref: null, topic: this.topic, event: "system" }, payload);
  }

  /** Ends the channel so that the client joins again. */
  fail(extension: "system" | "postgres_changes", reason: string): void {
    this.#endWith("phx_error", extension, reason);
  }

  /** Ends the channel for good: clients do not rejoin after `phx_close`. */
  close(reason: string): void {
    this.#endWith("phx_close", "system", reason);
  }

  #endWith(event: "phx_error" | "phx_close", extension: "system" | "postgres_changes", reason: string): void {
    if (this.#phase === "ended") return;
    if (this.#phase === "joined") {
      this.pushSystem(extension, "error", reason);
      const { joinRef, topic } = this;
      this.push(renderFrame(this.vsn, { joinRef, ref: joinRef, topic, event }, JSON.stringify({ reason })));
    }
    this.#failure ??= reason;
    this.end();
  }

  end(): void {
    if (this.#phase === "ended") return;
    this.#phase = "ended";
    this.#held = [];
    this.#ending.abort();
    this.#subscription?.close();
    for (const close of this.#closers.splice(0)) close();
    this.socket.forget(this);
  }
}

export function topicKeyOf(name: string, isPrivate: boolean): string {
  return `${isPrivate ? "private" : "public"}:${name}`;
}

export function nameOfTopicKey(key: string): string {
  return key.slice(key.indexOf(":") + 1);
}
