import { nextTick, type Worker } from "../../jobs/index.ts";
import type { Observer } from "../../observe/index.ts";
import type { Clock } from "../../time/index.ts";
import type { Changes } from "../changes.ts";
import type { RealtimeTiming } from "../realtime-options.ts";
import { type NodeMessage, parseNodeMessage } from "./node-message.ts";
import type { Presence } from "./presence.ts";
import { type PresenceEntry, sizeOfEntry } from "./render-presence.ts";

const PREFIX = "swarmbase.presence";
/** A larger message could exceed the transaction limit of the feed. */
const MAX_MESSAGE_BYTES = 1024 * 1024;
/** A node without presences of its own only watches those of others. */
const TICKS_WITHOUT_OWN = 2;

interface PresenceSyncOptions {
  readonly node: string;
  readonly presence: Presence;
  readonly changes: Changes;
  readonly clock: Clock;
  readonly observer: Observer;
  readonly timing: RealtimeTiming;
}

/**
 * Synchronises presences between nodes. Each node sends the presences of its own channels, and heartbeats while it has any. The
 * presences of a node without messages for the length of the lease are removed. A node that detects a gap requests the state.
 */
export class PresenceSync {
  readonly #options: PresenceSyncOptions;
  readonly #known = new Map<string, { readonly seq: number; receivedAtMs: number }>();
  readonly #stop: () => void;
  #seq = 0;
  #joins = new Map<string, PresenceEntry>();
  #leaves = new Set<string>();
  /** The last message failed, or another node has requested the state. */
  #mustSendState = false;
  #sentAtMs = 0;
  #wasLive = false;
  #sending: Promise<void> | null = null;

  constructor(options: PresenceSyncOptions) {
    this.#options = options;
    this.#stop = options.changes.onMessage(PREFIX, (content) => this.#receive(parseNodeMessage(content)));
  }

  get worker(): Worker {
    return { name: "realtime-presence", run: (signal) => this.#run(signal) };
  }

  send(joins: readonly PresenceEntry[], leaves: readonly PresenceEntry[]): void {
    for (const entry of joins) this.#joins.set(entry.ref, entry);
    for (const { ref } of leaves) if (!this.#joins.delete(ref)) this.#leaves.add(ref);
    this.#sendPending();
  }

  /** Tells all nodes that a node has ended without a message of its own. */
  async announceEnd(node: string): Promise<void> {
    if (this.#options.changes.state() !== "unavailable") await this.#emit({ kind: "bye", node, seq: 0 });
  }

  async close(): Promise<void> {
    this.#stop();
    await this.#sending;
    if (this.#sentAtMs === 0 || this.#options.changes.state() === "unavailable") return;
    this.#seq += 1;
    await this.#emit({ kind: "bye", node: this.#options.node, seq: this.#seq }).catch(() => {});
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { timing, presence } = this.#options;
    while (!signal.aborted) {
      this.#tick();
      await nextTick(timing.presenceTickMs * (presence.hasOwn() ? 1 : TICKS_WITHOUT_OWN), signal);
    }
  }

  #tick(): void {
    const { changes, presence, clock, timing } = this.#options;
    const nowMs = clock.now().getTime();
    const isLive = changes.state() === "live";
    if (isLive && !this.#wasLive) {
      // Messages may have been missed while the feed was not live.
      this.#mustSendState ||= presence.hasOwn();
      this.#requestState(null);
    }
    this.#wasLive = isLive;
    for (const [other, known] of this.#known) {
      if (!isLive) known.receivedAtMs = nowMs;
      else if (nowMs - known.receivedAtMs > timing.presenceLeaseMs) this.#removeNode(other);
    }
    if (presence.hasOwn() && nowMs - this.#sentAtMs >= timing.presenceBeatMs) this.#sendPending({ isBeat: true });
    else if (this.#mustSendState) this.#sendPending();
  }

  #sendPending({ isBeat = false } = {}): void {
    if (this.#options.changes.state() === "unavailable") {
      this.#joins.clear();
      this.#leaves.clear();
      return;
    }
    this.#sending ??= this.#sendAll(isBeat).finally(() => {
      this.#sending = null;
    });
  }

  /** One message at a time; changes during a send go into the next message. */
  async #sendAll(isBeat: boolean): Promise<void> {
    let mustBeat = isBeat;
    try {
      // Changes of one turn of the event loop share a message.
      await Promise.resolve();
      while (this.#mustSendState || this.#joins.size > 0 || this.#leaves.size > 0 || mustBeat) {
        mustBeat = false;
        const message = this.#nextMessage();
        this.#sentAtMs = this.#options.clock.now().getTime();
        await this.#emit(message);
      }
    } catch (error) {
      this.#mustSendState = true;
      this.#noteFailure(error);
    }
  }

  #nextMessage(): NodeMessage {
    const { node, presence } = this.#options;
    const [joins, leaves] = [[...this.#joins.values()], [...this.#leaves]];
    this.#joins = new Map();
    this.#leaves = new Set();
    this.#seq += 1;
    const seq = this.#seq;
    const own = presence.listOwn();
    // The first message of a node contains all its presences, so it is sent as a state and no node has to request it.
    const isAll = this.#mustSendState || own.length === joins.length;
    this.#mustSendState = false;
    const entries = this.#takeFitting(isAll ? own : joins);
    if (isAll) return { kind: "state", node, seq, entries };
    if (entries.length === 0 && leaves.length === 0) return { kind: "beat", node, seq };
    return { kind: "diff", node, seq, joins: entries, leaves };
  }

  /** Takes as many entries as one message may contain; the others become joins of the next one. */
  #takeFitting(entries: readonly PresenceEntry[]): readonly PresenceEntry[] {
    let bytes = 0;
    const count = entries.findIndex((entry, index) => {
      bytes += sizeOfEntry(entry);
      return index > 0 && bytes > MAX_MESSAGE_BYTES;
    });
    if (count === -1) return entries;
    for (const entry of entries.slice(count)) this.#joins.set(entry.ref, entry);
    return entries.slice(0, count);
  }

  #receive(message: NodeMessage | null): void {
    const { node: self, presence, clock } = this.#options;
    if (message === null || message.node === self) return;
    const { node } = message;
    if (message.kind === "ask") {
      if (message.of !== null && message.of !== self) return;
      if (!presence.hasOwn()) return;
      this.#mustSendState = true;
      this.#sendPending();
      return;
    }
    const { seq } = message;
    const known = this.#known.get(node);
    const isNext = known !== undefined && seq === known.seq + 1;
    if (message.kind === "bye") return this.#removeNode(node);
    this.#known.set(node, { seq, receivedAtMs: clock.now().getTime() });
    if (message.kind === "state") presence.replace(node, message.entries);
    else if (!isNext) this.#requestState(node);
    else if (message.kind === "diff") presence.apply(node, message.joins, message.leaves);
  }

  #requestState(of: string | null): void {
    const { node } = this.#options;
    void this.#emit({ kind: "ask", node, of }).catch((error: unknown) => this.#noteFailure(error));
  }

  #removeNode(node: string): void {
    this.#known.delete(node);
    this.#options.presence.replace(node, []);
  }

  #emit(message: NodeMessage): Promise<void> {
    return this.#options.changes.emit(PREFIX, Buffer.from(JSON.stringify(message)));
  }

  #noteFailure(error: unknown): void {
    this.#options.observer.note("realtime.presence_failed", { error });
  }
}
