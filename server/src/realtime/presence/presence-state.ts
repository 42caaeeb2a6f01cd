/** The presence of one channel. An update is a new entry with a new ref. */
export interface PresenceEntry {
  readonly hubKey: string;
  readonly key: string;
  readonly ref: string;
  /** JSON text of the members, without braces. */
  readonly members: string;
}

const OVERHEAD_BYTES = 32;

/** The approximate size in a frame. */
export function sizeOfEntry({ key, ref, members }: PresenceEntry): number {
  return Buffer.byteLength(key) + ref.length + Buffer.byteLength(members) + OVERHEAD_BYTES;
}

/** Presences by topic and by node. Refs are unique over all nodes. */
export class PresenceState {
  readonly #topics = new Map<string, Map<string, PresenceEntry>>();
  readonly #nodes = new Map<string, Map<string, PresenceEntry>>();
  readonly #topicBytes = new Map<string, number>();

  /** Returns false when the entry exists already. */
  add(node: string, entry: PresenceEntry): boolean {
    const ofNode = entriesOf(this.#nodes, node);
    if (ofNode.has(entry.ref)) return false;
    ofNode.set(entry.ref, entry);
    entriesOf(this.#topics, entry.hubKey).set(entry.ref, entry);
    this.#topicBytes.set(entry.hubKey, this.countBytes(entry.hubKey) + sizeOfEntry(entry));
    return true;
  }

  remove(node: string, ref: string): PresenceEntry | null {
    const ofNode = this.#nodes.get(node);
    const entry = ofNode?.get(ref);
    if (ofNode === undefined || entry === undefined) return null;
    ofNode.delete(ref);
    if (ofNode.size === 0) this.#nodes.delete(node);
    const ofTopic = this.#topics.get(entry.hubKey);
    ofTopic?.delete(ref);
    this.#topicBytes.set(entry.hubKey, this.countBytes(entry.hubKey) - sizeOfEntry(entry));
    if (ofTopic?.size === 0) {
      this.#topics.delete(entry.hubKey);
      this.#topicBytes.delete(entry.hubKey);
    }
    return entry;
  }

  countBytes(hubKey: string): number {
    return this.#topicBytes.get(hubKey) ?? 0;
  }

  listTopic(hubKey: string): PresenceEntry[] {
    return [...(this.#topics.get(hubKey)?.values() ?? [])];
  }

  listNode(node: string): PresenceEntry[] {
    return [...(this.#nodes.get(node)?.values() ?? [])];
  }

  hasNode(node: string): boolean {
    return this.#nodes.has(node);
  }
}

function entriesOf(map: Map<string, Map<string, PresenceEntry>>, id: string): Map<string, PresenceEntry> {
  let entries = map.get(id);
  if (entries === undefined) {
    entries = new Map();
    map.set(id, entries);
  }
  return entries;
}
