import { AppError } from "../../errors/index.ts";
import { commonSharesOf, type HeldBytes, type Holder, isVisitor, ownSharesOf, type Share } from "../held-bytes.ts";
import { PresenceDiffs, type PresenceDiffsOptions } from "./presence-diffs.ts";
import { type PresenceEntry, renderMembers, renderPresences, sizeOfEntry } from "./render-presence.ts";

interface PresenceOptions extends PresenceDiffsOptions {
  readonly node: string;
  readonly maxEntryBytes: number;
  /** Per topic: a larger state could not be sent to a joining client. */
  readonly maxTopicBytes: number;
  /** Topics, the node and visitors count the entries of all nodes, which this one holds too. */
  readonly held: HeldBytes;
  /** Called when entries of this node change, to notify the other nodes. */
  onOwnChange(joins: readonly PresenceEntry[], leaves: readonly PresenceEntry[]): void;
}

/** A channel that can track a presence. */
interface Present {
  readonly id: string;
  readonly topicKey: string;
  readonly presenceKey: string;
}

interface Topic {
  readonly entries: Map<string, PresenceEntry>;
  bytes: number;
}

interface Tracked {
  readonly entry: PresenceEntry;
  /** Of the client when it tracked the entry, which may have another token now. */
  readonly shares: readonly Share[];
}

/** The presences of all nodes by topic and by node, and their diffs for the channels of this node. Refs are unique over all nodes. */
export class Presence {
  readonly #options: PresenceOptions;
  readonly #diffs: PresenceDiffs;
  readonly #topics = new Map<string, Topic>();
  readonly #nodes = new Map<string, Map<string, PresenceEntry>>();
  readonly #ownByChannel = new Map<string, Tracked>();
  #count = 0;

  constructor(options: PresenceOptions) {
    this.#options = options;
    this.#diffs = new PresenceDiffs(options);
  }

  track({ id, topicKey, presenceKey: key }: Present, holder: Holder, payload: Readonly<Record<string, unknown>>): void {
    const { node, onOwnChange, held } = this.#options;
    const members = renderMembers(payload);
    const before = this.#ownByChannel.get(id);
    if (before?.entry.members === members) return;
    const isOfVisitor = isVisitor(holder.principal);
    const entry = { topicKey, key, ref: `${node}.${(this.#count + 1).toString(36)}`, members, isOfVisitor };
    const shares = ownSharesOf(holder);
    this.#requireSpace({ entry, shares }, before);
    this.#count += 1;
    this.#ownByChannel.set(id, { entry, shares });
    held.add(shares, sizeOfEntry(entry));
    if (before !== undefined) held.add(before.shares, -sizeOfEntry(before.entry));
    const replaced = before === undefined ? [] : [before.entry];
    this.apply(
      node,
      [entry],
      replaced.map(({ ref }) => ref),
    );
    onOwnChange([entry], replaced);
  }

  isTracked(channelId: string): boolean {
    return this.#ownByChannel.has(channelId);
  }

  untrack(channelId: string): void {
    const tracked = this.#ownByChannel.get(channelId);
    if (tracked === undefined) return;
    const { entry, shares } = tracked;
    this.#ownByChannel.delete(channelId);
    this.#options.held.add(shares, -sizeOfEntry(entry));
    this.apply(this.#options.node, [], [entry.ref]);
    this.#options.onOwnChange([], [entry]);
  }

  apply(node: string, joins: readonly PresenceEntry[], leaves: readonly string[]): void {
    for (const entry of joins) this.#add(node, entry);
    for (const ref of leaves) this.#remove(node, ref);
  }

  /** Replaces all entries of a node. */
  replace(node: string, entries: readonly PresenceEntry[]): void {
    const refs = new Set(entries.map(({ ref }) => ref));
    const removed = [...(this.#nodes.get(node)?.keys() ?? [])].filter((ref) => !refs.has(ref));
    this.apply(node, entries, removed);
  }

  /** Sends the pending diff to the current channels first. */
  renderState(topicKey: string): string {
    this.#diffs.flush(topicKey);
    return renderPresences(this.#topics.get(topicKey)?.entries.values() ?? []);
  }

  /** The entries of this node. */
  listOwn(): PresenceEntry[] {
    return [...(this.#nodes.get(this.#options.node)?.values() ?? [])];
  }

  hasOwn(): boolean {
    return this.#nodes.has(this.#options.node);
  }

  close(): void {
    this.#diffs.close();
  }

  /** The entry replaces the one before, whose bytes do not count. */
  #requireSpace({ entry, shares }: Tracked, before: Tracked | undefined): void {
    const { maxEntryBytes, maxTopicBytes, held } = this.#options;
    const bytes = sizeOfEntry(entry);
    if (maxEntryBytes > 0 && bytes > maxEntryBytes) throw new AppError("PAYLOAD_TOO_LARGE", "payload_size_exceeded");
    const freed = before === undefined ? 0 : sizeOfEntry(before.entry);
    const release = (sign: 1 | -1): void => {
      if (before === undefined) return;
      held.add([...before.shares, ...commonSharesOf(before.entry.topicKey, before.entry.isOfVisitor)], sign * freed);
    };
    release(-1);
    const exceeded = held.findExceeded([...shares, ...commonSharesOf(entry.topicKey, entry.isOfVisitor)], bytes);
    release(1);
    const ofTopic = (this.#topics.get(entry.topicKey)?.bytes ?? 0) - freed + bytes;
    const named = ofTopic > maxTopicBytes ? "topic" : exceeded;
    if (named === null) return;
    const whose = named === "visitors" ? "all visitors" : `this ${named}`;
    throw new AppError("PAYLOAD_TOO_LARGE", `PresenceLimitReached: The presence of ${whose} is too large`);
  }

  #add(node: string, entry: PresenceEntry): void {
    const { topicKey, ref } = entry;
    const ofNode = this.#nodes.get(node) ?? new Map<string, PresenceEntry>();
    if (ofNode.has(ref)) return;
    this.#nodes.set(node, ofNode.set(ref, entry));
    const topic = this.#topics.get(topicKey) ?? { entries: new Map<string, PresenceEntry>(), bytes: 0 };
    this.#topics.set(topicKey, topic);
    topic.entries.set(ref, entry);
    topic.bytes += sizeOfEntry(entry);
    this.#options.held.add(commonSharesOf(topicKey, entry.isOfVisitor), sizeOfEntry(entry));
    this.#diffs.join(entry);
  }

  #remove(node: string, ref: string): void {
    const ofNode = this.#nodes.get(node);
    const entry = ofNode?.get(ref);
    const topic = entry && this.#topics.get(entry.topicKey);
    if (ofNode === undefined || entry === undefined || topic === undefined) return;
    ofNode.delete(ref);
    if (ofNode.size === 0) this.#nodes.delete(node);
    topic.entries.delete(ref);
    topic.bytes -= sizeOfEntry(entry);
    this.#options.held.add(commonSharesOf(entry.topicKey, entry.isOfVisitor), -sizeOfEntry(entry));
    if (topic.entries.size === 0) this.#topics.delete(entry.topicKey);
    this.#diffs.leave(entry);
  }
}
