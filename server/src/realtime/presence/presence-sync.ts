import { setTimeout as sleep } from "node:timers/promises";
import type { Worker } from "../../jobs/index.ts";
import type { Observer } from "../../observe/index.ts";
import type { Clock } from "../../time/index.ts";
import type { Changes } from "../changes.ts";
import type { RealtimeTiming } from "../realtime-options.ts";
import { decodeNodeMessage, encodeNodeMessage, type NodeMessage } from "./node-message.ts";
import type { Presence } from "./presence.ts";
import { type PresenceEntry, sizeOfEntry } from "./presence-state.ts";

const PREFIX = "swarmbase.presence";
/** What is larger could be more than the feed of a node can hold. */
const MAX_MESSAGE_BYTES = 1024 * 1024;

export interface PresenceSyncOptions {
  readonly node: string;
  readonly presence: Presence;
  readonly changes: Changes;
  readonly clock: Clock;
  readonly observer: Observer;
  readonly timing: RealtimeTiming;
}

interface KnownNode {
  seq: number;
  heardAtMs: number;
}

/**
 * Keeps nodes' knowledge of each other's presences true. Each node speaks for its own channels alone; it beats while it has
 * any, and one that is not heard of for the length of its lease takes them along. Whoever notices a gap asks for the state.
 */
export class PresenceSync {
  readonly #options: PresenceSyncOptions;
  readonly #known = new Map<string, KnownNode>();
  readonly #stop: () => void;
  #seq = 0;
  #joins = new Map<string, PresenceEntry>();
  #leaves = new Set<string>();
  /** What was said last did not get through, or somebody has asked. */
  #owesState = false;
  #saidAtMs = 0;
  #wasLive = false;
  #speaking: Promise<void> | null = null;

  constructor(options: PresenceSyncOptions) {
    this.#options = options;
    this.#stop = options.changes.onMessage(PREFIX, (content) => this.#hear(decodeNodeMessage(content)));
  }

  get worker(): Worker {
    return { name: "realtime-presence", run: (signal) => this.#run(signal) };
  }

  tell(joins: readonly PresenceEntry[], leaves: readonly PresenceEntry[]): void {
    for (const entry of joins) this.#joins.set(entry.ref, entry);
    for (const { ref } of leaves) if (!this.#joins.delete(ref)) this.#leaves.add(ref);
    this.#speak();
  }

  async close(): Promise<void> {
    this.#stop();
    await this.#speaking;
    if (this.#saidAtMs === 0 || this.#options.changes.state() === "unavailable") return;
    await this.#emit({ kind: "bye", node: this.#options.node, seq: this.#nextSeq() }).catch(() => {});
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { timing } = this.#options;
    while (!signal.aborted) {
      this.#tick();
      await sleep(timing.presenceTickMs, undefined, { signal }).catch(() => {});
    }
  }

  #tick(): void {
    const { changes, presence, clock, timing, node } = this.#options;
    const nowMs = clock.now().getTime();
    const isLive = changes.state() === "live";
    if (isLive && !this.#wasLive) {
      // While nothing could be heard, anything may have been said.
      this.#owesState ||= presence.hasEntriesOf(node);
      void this.#emit({ kind: "ask", node, of: null }).catch((error: unknown) => this.#noteFailure(error));
    }
    this.#wasLive = isLive;
    for (const [other, known] of this.#known) {
      if (!isLive) known.heardAtMs = nowMs;
      else if (nowMs - known.heardAtMs > timing.presenceLeaseMs) this.#forget(other);
    }
    if (presence.hasEntriesOf(node) && nowMs - this.#saidAtMs >= timing.presenceBeatMs) this.#speak({ isBeat: true });
    else if (this.#owesState) this.#speak();
  }

  #speak({ isBeat = false } = {}): void {
    if (this.#options.changes.state() === "unavailable") {
      this.#joins.clear();
      this.#leaves.clear();
      return;
    }
    this.#speaking ??= this.#say(isBeat).finally(() => {
      this.#speaking = null;
    });
  }

  /** One message at a time; what changes meanwhile goes into the next. */
  async #say(isBeat: boolean): Promise<void> {
    let mustBeat = isBeat;
    try {
      // Changes of one turn of the event loop travel together.
      await Promise.resolve();
      while (this.#owesState || this.#joins.size > 0 || this.#leaves.size > 0 || mustBeat) {
        mustBeat = false;
        const message = this.#nextMessage();
        this.#saidAtMs = this.#options.clock.now().getTime();
        await this.#emit(message);
      }
    } catch (error) {
      this.#owesState = true;
      this.#noteFailure(error);
    }
  }

  #nextMessage(): NodeMessage {
    const { node, presence } = this.#options;
    const [joins, leaves] = [[...this.#joins.values()], [...this.#leaves]];
    this.#joins = new Map();
    this.#leaves = new Set();
    const seq = this.#nextSeq();
    const own = presence.listOwn();
    // The first that a node has to tell is all that it has to tell, and then nobody needs to ask.
    const isAll = this.#owesState || own.length === joins.length;
    this.#owesState = false;
    const entries = this.#putOff(isAll ? own : joins);
    if (isAll) return { kind: "state", node, seq, entries };
    if (entries.length === 0 && leaves.length === 0) return { kind: "beat", node, seq };
    return { kind: "diff", node, seq, joins: entries, leaves };
  }

  /** As many as one message may hold; the others follow as joins of their own. */
  #putOff(entries: readonly PresenceEntry[]): readonly PresenceEntry[] {
    let bytes = 0;
    const count = entries.findIndex((entry, at) => {
      bytes += sizeOfEntry(entry);
      return at > 0 && bytes > MAX_MESSAGE_BYTES;
    });
    if (count === -1) return entries;
    for (const entry of entries.slice(count)) this.#joins.set(entry.ref, entry);
    return entries.slice(0, count);
  }

  #hear(message: NodeMessage | null): void {
    const { node: self, presence, clock } = this.#options;
    if (message === null || message.node === self) return;
    const { node } = message;
    if (message.kind === "ask") {
      if (message.of !== null && message.of !== self) return;
      if (!presence.hasEntriesOf(self)) return;
      this.#owesState = true;
      this.#speak();
      return;
    }
    const { seq } = message;
    const known = this.#known.get(node);
    const isNext = known !== undefined && seq === known.seq + 1;
    if (message.kind === "bye") return this.#forget(node);
    this.#known.set(node, { seq, heardAtMs: clock.now().getTime() });
    if (message.kind === "state") presence.replace(node, message.entries);
    else if (!isNext) this.#ask(node);
    else if (message.kind === "diff") presence.apply(node, message.joins, message.leaves);
  }

  #ask(of: string): void {
    const { node } = this.#options;
    void this.#emit({ kind: "ask", node, of }).catch((error: unknown) => this.#noteFailure(error));
  }

  #forget(node: string): void {
    this.#known.delete(node);
    this.#options.presence.replace(node, []);
  }

  #nextSeq(): number {
    this.#seq += 1;
    return this.#seq;
  }

  #emit(message: NodeMessage): Promise<void> {
    return this.#options.changes.emit(PREFIX, encodeNodeMessage(message));
  }

  #noteFailure(error: unknown): void {
    this.#options.observer.note("realtime.presence_failed", { error });
  }
}
