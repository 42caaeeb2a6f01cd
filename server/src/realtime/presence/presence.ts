import { AppError } from "../../errors/index.ts";
import { PresenceDiffs, type PresenceDiffsOptions } from "./presence-diffs.ts";
import { type PresenceEntry, PresenceState, sizeOfEntry } from "./presence-state.ts";
import { renderMembers, renderPresences } from "./render-presence.ts";

export interface PresenceOptions extends PresenceDiffsOptions {
  readonly node: string;
  /** Of one topic: what is more could not be sent to anybody who joins. */
  readonly maxTopicBytes: number;
  /** Entries of this node have changed, and others have to be told. */
  onOwnChange(joins: readonly PresenceEntry[], leaves: readonly PresenceEntry[]): void;
}

/** A channel that can be present. */
export interface Present {
  readonly id: string;
  readonly hubKey: string;
  readonly presenceKey: string;
}

/** Who is present, on this node and on others, and what changes are to be told to the channels here. */
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

  /** A node's whole state takes the place of what was known of it. */
  replace(node: string, entries: readonly PresenceEntry[]): void {
    const refs = new Set(entries.map(({ ref }) => ref));
    const gone = this.#state.listNode(node).filter(({ ref }) => !refs.has(ref));
    this.apply(
      node,
      entries,
      gone.map(({ ref }) => ref),
    );
  }

  /** Changes not yet told go out first, to those who are here already. */
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
