import { nextTick, type Worker } from "../../jobs/index.ts";
import type { AccessChanges } from "../changes.ts";
import type { Channel } from "../channels/channel.ts";
import type { Presence } from "../presence/presence.ts";
import { accessDenied } from "../private/private-topics.ts";
import {
  type ChannelExtension,
  MAX_INTERVAL_WITHOUT_FEED_MS,
  type RealtimeOptions,
  type TopicAccess,
  type TopicCheck,
} from "../realtime-options.ts";
import { SetsByKey } from "../sets-by-key.ts";
import { identityKey, userIdOf } from "../visibility/subscription.ts";
import { RecheckQueue } from "./recheck-queue.ts";

interface TopicRechecksOptions
  extends Pick<RealtimeOptions, "changes" | "privateTopics" | "settings" | "observer" | "clock"> {
  readonly presence: Presence;
}

interface CheckedChannels {
  readonly check: TopicCheck;
  readonly channels: {
    readonly channel: Channel;
    readonly version: number;
    readonly admission: Channel["admission"];
  }[];
}

const POLL_MS = 1_000;

/**
 * The private channels of this node, and the checks of their access after the join: when a membership or a policy changes,
 * on `realtime.recheck`, and at a bounded age. Each of the three has its own queue, so that none waits for another.
 */
export class TopicRechecks {
  readonly #options: TopicRechecksOptions;
  readonly #channels = new Set<Channel>();
  readonly #byTopic = new SetsByKey<Channel>();
  readonly #changed: RecheckQueue;
  readonly #requested: RecheckQueue;
  readonly #aged: RecheckQueue;
  readonly #stop: () => void;

  constructor(options: TopicRechecksOptions) {
    this.#options = options;
    const createQueue = (): RecheckQueue =>
      new RecheckQueue(
        (channels) => this.#check(channels),
        (error) => options.observer.note("realtime.recheck_failed", { error }),
      );
    [this.#changed, this.#requested, this.#aged] = [createQueue(), createQueue(), createQueue()];
    this.#stop = options.changes.onAccessChanged((changes) => this.#report(changes));
  }

  get worker(): Worker {
    return { name: "realtime-access", run: (signal) => this.#run(signal) };
  }

  /** Call before the access of the channel is checked for the first time, so that a change during that check is noticed. */
  track(channel: Channel): void {
    this.#channels.add(channel);
    this.#byTopic.add(channel.name, channel);
    channel.onEnd(() => {
      this.#channels.delete(channel);
      this.#byTopic.delete(channel.name, channel);
    });
  }

  /** For a channel whose access changed while it was being checked. */
  add(channel: Channel): void {
    this.#changed.add([channel]);
  }

  close(): void {
    this.#stop();
  }

  #report(changes: AccessChanges): void {
    if (changes === "all") return this.#recheckAll();
    for (const [topic, userIds] of changes) {
      const affected = [...this.#byTopic.get(topic)].filter(
        ({ admission }) => admission === null || userIds === null || userIds.has(userIdOf(admission.principal) ?? ""),
      );
      for (const channel of affected) channel.accessVersion += 1;
      (userIds === null ? this.#requested : this.#changed).add(affected);
    }
  }

  #recheckAll(): void {
    for (const channel of this.#channels) channel.accessVersion += 1;
    this.#aged.add([...this.#channels]);
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { changes, clock, settings } = this.#options;
    const maxAgeMs = settings.realtimeRecheckIntervalSeconds * 1000;
    let liveCount = changes.liveCount();
    while (!signal.aborted) {
      await nextTick(POLL_MS, signal);
      for (const queue of [this.#changed, this.#requested]) queue.start();
      if (changes.liveCount() !== liveCount) {
        liveCount = changes.liveCount();
        // While the feed was not live, changes were not reported.
        this.#recheckAll();
        continue;
      }
      const ageMs = changes.state() === "live" ? maxAgeMs : Math.min(maxAgeMs, MAX_INTERVAL_WITHOUT_FEED_MS);
      const dueMs = clock.now().getTime() - ageMs;
      this.#aged.add([...this.#channels].filter(({ accessCheckedAtMs }) => accessCheckedAtMs <= dueMs));
    }
  }

  /** One statement for all channels. Throws when the database is unavailable. */
  async #check(channels: readonly Channel[]): Promise<void> {
    const { clock, privateTopics } = this.#options;
    const nowMs = clock.now().getTime();
    const groups = groupChannels(channels, this.#options.presence);
    if (groups.length === 0) return;
    const results = await privateTopics.checkAll(groups.map(({ check }) => check));
    for (const [index, { check, channels: checked }] of groups.entries()) {
      const access = results[index] ?? new Error("the check of the policies returned no result");
      if (access instanceof Error)
        this.#options.observer.note("realtime.recheck_failed", { topic: check.topic, error: access });
      for (const { channel, version, admission } of checked) {
        // A newer check follows, or its result is there already.
        if (channel.accessVersion !== version || channel.admission !== admission) continue;
        channel.accessCheckedAtMs = nowMs;
        this.#apply(channel, access, check.writes);
      }
    }
  }

  #apply(channel: Channel, access: TopicAccess | Error, tested: readonly ChannelExtension[]): void {
    if (access instanceof Error) return channel.fail("system", "The policies of this channel could not be checked");
    if (access.readable.size === 0) return channel.close(accessDenied("read from", channel.name).message);
    channel.readable = access.readable;
    for (const extension of tested) {
      if (channel.writable.has(extension))
        channel.writable.set(extension, Promise.resolve(access.writable.has(extension)));
    }
    if (!access.writable.has("presence")) this.#options.presence.untrack(channel.id);
  }
}

/** Channels whose principals the policies cannot distinguish share a check. */
function groupChannels(channels: readonly Channel[], presence: Presence): CheckedChannels[] {
  const groups = new Map<string, { check: TopicCheck & { writes: ChannelExtension[] } } & CheckedChannels>();
  for (const channel of channels) {
    const { admission, accessVersion: version, name: topic } = channel;
    if (channel.phase === "ended" || admission === null || admission.principal.role === "service_role") continue;
    const { principal } = admission;
    const key = JSON.stringify([topic, identityKey(principal)]);
    const group = groups.get(key) ?? { check: { principal, topic, writes: [] }, channels: [] };
    groups.set(key, group);
    group.channels.push({ channel, version, admission });
    const writes = new Set<ChannelExtension>([...channel.writable.keys(), ...group.check.writes]);
    if (presence.isTracked(channel.id)) writes.add("presence");
    group.check.writes.splice(0, Infinity, ...writes);
  }
  return [...groups.values()];
}
