import { setTimeout as sleep } from "node:timers/promises";
import { shareRuns } from "@swarmbase/concurrency";
import { AppError } from "../../errors/index.ts";
import { nextTick, type Worker } from "../../jobs/index.ts";
import { isRecord, readJson } from "../../json/index.ts";
import type { Observer } from "../../observe/index.ts";
import type { Changes } from "../changes.ts";
import { type Channel, topicKeyOf } from "../channels/channel.ts";
import type { TopicChannels } from "../channels/topic-channels.ts";
import type { FollowedTopics } from "../realtime-options.ts";

const TOPIC = /^(webhook|swarm-agents):([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

const MAX_ITEMS = 100;

interface SignalsOptions {
  readonly node: string;
  readonly topics: TopicChannels;
  readonly changes: Changes;
  readonly followedTopics: FollowedTopics;
  readonly observer: Observer;
}

/** A followed topic of this node. */
interface Followed {
  readonly channels: Set<Channel>;
  /** What has changed since the last message; undefined means nothing. */
  pending: SignalItems | undefined;
  /** Runs from a message until the next one may be sent. */
  timer: NodeJS.Timeout | null;
}

const SIGNAL_PREFIX = "swarmbase.signal";
/** Clients read rows after a signal, so each topic has at most one in this time. */
const INTERVAL_MS = 1_000;
const TICK_MS = 1_000;
const RENEW_TICKS = 15;
const CATCH_UP_MS = 200;
const MAX_CATCH_UP_MS = 15_000;

/** Sends signals of the database to private channels: that deliveries of a webhook or statuses of agents have changed. */
export class Signals {
  readonly #options: SignalsOptions;
  readonly #followed = new Map<string, Followed>();
  readonly #stop: () => void;
  /** Registers the followed topics as of a moment after the call. */
  readonly #register: () => Promise<void>;
  readonly #closing = new AbortController();
  /** Whether rows may exist. True at first, so that a node that starts deletes expired rows of others. */
  #isRegistered = true;

  constructor(options: SignalsOptions) {
    const { changes, followedTopics, node } = options;
    this.#options = options;
    this.#stop = changes.onMessage(SIGNAL_PREFIX, (content, whenVisible) => {
      const signal = parseSignal(content);
      if (signal === null) return;
      const receive = (): void => this.#receive(signal.topic, signal.items);
      // Clients read the rows as soon as they are told.
      void whenVisible().then(receive, receive);
    });
    this.#register = shareRuns(async () => {
      const topics = [...this.#followed.keys()];
      if (topics.length === 0 && !this.#isRegistered) return;
      await followedTopics.write(node, topics);
      this.#isRegistered = topics.length > 0;
    });
  }

  get worker(): Worker {
    return { name: "realtime-signals", run: (signal) => this.#run(signal) };
  }

  /** For a private channel that has been admitted. Resolves when the writers know that its topic is followed. */
  async follow(channel: Channel): Promise<void> {
    const { name } = channel;
    if (parseSignalTopic(name) === null) return;
    const { changes } = this.#options;
    if (changes.state() === "unavailable")
      throw new AppError("SERVICE_UNAVAILABLE", changes.reason() ?? "Realtime is not available");
    const known = this.#followed.get(name);
    const followed = known ?? { channels: new Set(), pending: undefined, timer: null };
    if (known === undefined) this.#followed.set(name, followed);
    followed.channels.add(channel);
    channel.onEnd(() => this.#leave(name, followed, channel));
    await this.#register();
    if (known === undefined) void this.#catchUp(name, followed);
  }

  async close(): Promise<void> {
    this.#stop();
    this.#closing.abort();
    for (const { timer } of this.#followed.values()) clearTimeout(timer ?? undefined);
    this.#followed.clear();
    await this.#register().catch(() => {});
  }

  #leave(name: string, followed: Followed, channel: Channel): void {
    followed.channels.delete(channel);
    if (followed.channels.size > 0 || this.#followed.get(name) !== followed) return;
    clearTimeout(followed.timer ?? undefined);
    this.#followed.delete(name);
  }

  /**
   * A transaction that was in progress when the topic was registered may have missed it. Until all of them have ended, signals again and
   * again that anything may have changed: they include those of other databases, which may take hours.
   */
  async #catchUp(name: string, followed: Followed): Promise<void> {
    const { followedTopics, observer } = this.#options;
    const { signal } = this.#closing;
    try {
      const { oldest: first, next } = await followedTopics.findTransactionBounds();
      let oldest = first;
      for (let waitMs = CATCH_UP_MS; oldest < next; waitMs = Math.min(waitMs * 2, MAX_CATCH_UP_MS)) {
        await sleep(waitMs, undefined, { signal });
        if (this.#followed.get(name) !== followed) return;
        ({ oldest } = await followedTopics.findTransactionBounds());
        this.#receive(name, null);
      }
    } catch (error) {
      if (signal.aborted) return;
      observer.note("realtime.signals_failed", { error });
      this.#receive(name, null);
    }
  }

  #receive(topic: string, items: SignalItems): void {
    const followed = this.#followed.get(topic);
    if (followed === undefined) return;
    followed.pending = followed.pending === undefined ? items : mergeItems(followed.pending, items);
    if (followed.timer === null) this.#send(topic, followed);
  }

  #send(name: string, followed: Followed): void {
    const topic = parseSignalTopic(name);
    const { pending } = followed;
    followed.timer = null;
    if (topic === null || pending === undefined) return;
    followed.pending = undefined;
    followed.timer = setTimeout(() => this.#send(name, followed), INTERVAL_MS);
    const content = { ...renderSignal(topic, pending), name, isBinary: false, meta: null };
    this.#options.topics.broadcast(topicKeyOf(name, true), content, null, null);
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { changes, observer } = this.#options;
    let liveCount = changes.liveCount();
    for (let tick = 1; !signal.aborted; tick += 1) {
      await nextTick(TICK_MS, signal);
      if (changes.liveCount() !== liveCount) {
        liveCount = changes.liveCount();
        // Signals were missed while the feed was not live.
        for (const topic of this.#followed.keys()) this.#receive(topic, null);
      }
      if (tick % RENEW_TICKS === 0)
        await this.#register().catch((error: unknown) => observer.note("realtime.signals_failed", { error }));
    }
  }
}

interface SignalTopic {
  readonly kind: "webhook" | "swarm-agents";
  readonly id: string;
}

/** By id. Null means that any item may have changed. */
type SignalItems = ReadonlyMap<string, unknown> | null;

/** Null for a topic without signals. */
function parseSignalTopic(topic: string): SignalTopic | null {
  const [, kind, id = ""] = TOPIC.exec(topic) ?? [];
  return kind === "webhook" || kind === "swarm-agents" ? { kind, id } : null;
}

/** Null for an invalid message: any SQL session can write messages into the WAL. */
function parseSignal(content: Buffer): { readonly topic: string; readonly items: SignalItems } | null {
  const read = readJson(content.toString());
  const value: unknown = read.fault === null ? read.value : null;
  if (!isRecord(value) || typeof value["topic"] !== "string" || !Array.isArray(value["items"])) return null;
  const items = value["items"].map((item: unknown) => [isRecord(item) ? item["id"] : item, item] as const);
  const isKnown = items.every((entry): entry is readonly [string, unknown] => typeof entry[0] === "string");
  return { topic: value["topic"], items: isKnown ? limitItems(new Map(items)) : null };
}

/** The later state of an item wins. */
function mergeItems(earlier: SignalItems, later: SignalItems): SignalItems {
  return earlier === null || later === null ? null : limitItems(new Map([...earlier, ...later]));
}

function limitItems(items: ReadonlyMap<string, unknown>): SignalItems {
  return items.size > MAX_ITEMS ? null : items;
}

function renderSignal({ kind, id }: SignalTopic, items: SignalItems): { event: string; payload: Buffer } {
  const list = items === null ? null : [...items.values()];
  return kind === "webhook"
    ? { event: "deliveries", payload: Buffer.from(JSON.stringify({ webhook_id: id, delivery_ids: list })) }
    : { event: "agents", payload: Buffer.from(JSON.stringify({ swarm_id: id, agents: list })) };
}
