import { AppError } from "../../errors/index.ts";
import { PresenceDiffs, type PresenceDiffsOptions } from "./presence-diffs.ts";
import { type PresenceEntry, PresenceState, sizeOfEntry } from "./presence-state.ts";
import { renderMembers, renderPresences } from "./render-presence.ts";

export interface PresenceOptions extends PresenceDiffsOptions {
  readonly node: string;
  /** Per topic: a larger state could not be sent to a joining client. */
  readonly maxTopicBytes: number;
  /** Called when entries of this node change, to notify the other nodes. */
  onOwnChange(joins: readonly PresenceEntry[], leaves: readonly PresenceEntry[]): void;
}

/** A channel that can track a presence. */
export interface Present {
  readonly id: string;
  readonly hubKey: string;
  readonly presenceKey: string;
}

/** The presences of all nodes, and their diffs for the channels of this node. */
export class Presence {
  readonly #node: string;
  readonly #state = new PresenceState();
  readonly #diffs: PresenceDiffs;
  readonly #onOwnChange: PresenceOptions["onOwnChange"];
  readonly #ownByChannel = new Map<string, PresenceEntry>();
  readonly #maxTopicBytes: number;
  #count = 0;

  constructor(options: PresenceOptions) {
    this.#node = options.node;
    this.#maxTopicBytes = options.maxTopicBytes;
    this.#diffs = new PresenceDiffs(options);
    this.#onOwnChange = options.onOwnChange;
  }

  track({ id, hubKey, presenceKey: key }: Present, payload: Readonly<Record<string, unknown>>): void {
    const members = renderMembers(payload);
    const before = this.#ownByChannel.get(id);
    if (before?.members === members) return;
    const ref = `${this.#node}.${(this.#count + 1).toString(36)}`;
    const entry = { hubKey, key, ref, members };
    const others = this.#state.countBytes(hubKey) - (before === undefined ? 0 : sizeOfEntry(before));
    if (others + sizeOfEntry(entry) > this.#maxTopicBytes)
      throw new AppError("PAYLOAD_TOO_LARGE", "PresenceLimitReached: Too much is present on this topic");
    this.#count += 1;
    this.#ownByChannel.set(id, entry);
    this.apply(this.#node, [entry], before === undefined ? [] : [before.ref]);
    this.#onOwnChange([entry], before === undefined ? [] : [before]);
  }

  untrack(channelId: string): void {
    const entry = this.#ownByChannel.get(channelId);
    if (entry === undefined) return;
    this.#ownByChannel.delete(channelId);
    this.apply(this.#node, [], [entry.ref]);
    this.#onOwnChange([], [entry]);
  }

  apply(node: string, joins: readonly PresenceEntry[], leaves: readonly string[]): void {
    for (const entry of joins) if (this.#state.add(node, entry)) this.#diffs.join(entry);
    for (const ref of leaves) {
      const entry = this.#state.remove(node, ref);
      if (entry !== null) this.#diffs.leave(entry);
    }
  }

  /** Replaces all entries of a node. */
  replace(node: string, entries: readonly PresenceEntry[]): void {
    const refs = new Set(entries.map(({ ref }) => ref));
    const removed = this.#state.listNode(node).filter(({ ref }) => !refs.has(ref));
    this.apply(
      node,
      entries,
      removed.map(({ ref }) => ref),
    );
  }

  /** Sends the pending diff to the current channels first. */
  renderState(hubKey: string): string {
    this.#diffs.flush(hubKey);
    return renderPresences(this.#state.listTopic(hubKey));
  }

  listOwn(): PresenceEntry[] {
    return this.#state.listNode(this.#node);
  }

  hasEntriesOf(node: string): boolean {
    return this.#state.hasNode(node);
  }

  close(): void {
    this.#diffs.close();
  }
}
