import { AppError } from "../../errors/index.ts";
import type { Observer } from "../../observe/index.ts";
import type { Changes } from "../changes.ts";
import { hubKeyOf, nameOfHubKey } from "../channels/channel.ts";
import type { TopicHub } from "../channels/topic-hub.ts";
import { decodeRecord, encodeRecord, type RelayRecord } from "./relay-record.ts";
import { parseAnnounced, STORED_PREFIX } from "./stored-message.ts";

const BROADCAST_PREFIX = "swarmbase.broadcast";
const MAX_WAITING_BYTES = 64 * 1024 * 1024;

export interface BroadcasterOptions {
  readonly node: string;
  readonly hub: TopicHub;
  readonly changes: Changes;
  readonly observer: Observer;
}

/** Sends a message to the channels of this node directly and to those of other nodes through the feed. */
export class Broadcaster {
  readonly #options: BroadcasterOptions;
  readonly #stops: (() => void)[];
  #waitingBytes = 0;

  constructor(options: BroadcasterOptions) {
    this.#options = options;
    const { changes, node: self } = options;
    this.#stops = [
      changes.onMessage(BROADCAST_PREFIX, (content) => {
        const received = decodeRecord(content);
        if (received !== null && received.node !== self) this.#deliver(received.record, null, null);
      }),
      changes.onMessage(STORED_PREFIX, (content) => {
        const message = parseAnnounced(content);
        if (message === null) return;
        const { id, topic, isPrivate, sender, ...rest } = message;
        this.#deliver({ ...rest, hubKey: hubKeyOf(topic, isPrivate), meta: JSON.stringify({ id }) }, sender, id);
      }),
    ];
  }

  /** Resolves when the message is in the feed. Without a feed, only this node delivers it. */
  async send(record: RelayRecord, exceptId: string | null): Promise<void> {
    const { changes, node, observer } = this.#options;
    const bytes = record.payload.length;
    if (this.#waitingBytes + bytes > MAX_WAITING_BYTES) {
      throw new AppError("SERVICE_UNAVAILABLE", "Too many broadcasts are waiting to be sent. Try again shortly.");
    }
    this.#deliver(record, exceptId, null);
    if (changes.state() === "unavailable") return;
    this.#waitingBytes += bytes;
    try {
      await changes.emit(BROADCAST_PREFIX, encodeRecord(node, record));
    } catch (error) {
      observer.note("realtime.relay_failed", { error });
      throw error;
    } finally {
      this.#waitingBytes -= bytes;
    }
  }

  close(): void {
    for (const stop of this.#stops) stop();
  }

  #deliver(record: RelayRecord, exceptId: string | null, storedId: string | null): void {
    this.#options.hub.broadcast(record.hubKey, { ...record, name: nameOfHubKey(record.hubKey) }, exceptId, storedId);
  }
}
