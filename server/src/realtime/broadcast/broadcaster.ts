import { AppError } from "../../errors/index.ts";
import type { Observer } from "../../observe/index.ts";
import { commonSharesOf, type HeldBytes, type Holder, isVisitor, ownSharesOf } from "../held-bytes.ts";
import type { Changes } from "../changes.ts";
import { topicKeyOf, nameOfTopicKey } from "../channels/channel.ts";
import type { TopicChannels } from "../channels/topic-channels.ts";
import type { BroadcastContent } from "../wire/render-broadcast.ts";
import { parseAnnounced, STORED_PREFIX } from "../private/stored-message.ts";

const BROADCAST_PREFIX = "swarmbase.broadcast";

/** A broadcast to all nodes. */
interface BroadcastRecord extends Omit<BroadcastContent, "name"> {
  readonly topicKey: string;
}

interface BroadcasterOptions {
  readonly node: string;
  readonly topics: TopicChannels;
  readonly changes: Changes;
  readonly observer: Observer;
  /** The broadcasts that wait for the feed. */
  readonly waiting: HeldBytes;
}

interface Sender {
  /** The channel that does not receive the message. */
  readonly exceptId: string | null;
  /** Null means the service itself. */
  readonly holder: Holder | null;
}

/** Sends a message to the channels of this node directly and to those of other nodes through the feed. */
export class Broadcaster {
  readonly #options: BroadcasterOptions;
  readonly #stops: (() => void)[];

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
        this.#deliver({ ...rest, topicKey: topicKeyOf(topic, isPrivate), meta: JSON.stringify({ id }) }, sender, id);
      }),
    ];
  }

  /** Resolves when the message is in the feed. Without a feed, only this node delivers it. */
  async send(record: BroadcastRecord, { exceptId, holder }: Sender): Promise<void> {
    const { changes, node, observer, waiting } = this.#options;
    const bytes = record.payload.length;
    const shares = holder === null ? [] : ownSharesOf(holder);
    shares.push(...commonSharesOf(record.topicKey, holder !== null && isVisitor(holder.principal)));
    const exceeded = waiting.findExceeded(shares, bytes);
    if (exceeded !== null) {
      const whose = exceeded === "visitors" ? "all visitors" : `this ${exceeded}`;
      const message = `BroadcastLimitReached: Too many broadcasts of ${whose} are waiting to be sent. Try again shortly.`;
      throw new AppError("SERVICE_UNAVAILABLE", message);
    }
    this.#deliver(record, exceptId, null);
    if (changes.state() === "unavailable") return;
    waiting.add(shares, bytes);
    try {
      await changes.emit(BROADCAST_PREFIX, encodeRecord(node, record));
    } catch (error) {
      observer.note("realtime.relay_failed", { error });
      throw error;
    } finally {
      waiting.add(shares, -bytes);
    }
  }

  close(): void {
    for (const stop of this.#stops) stop();
  }

  #deliver(record: BroadcastRecord, exceptId: string | null, storedId: string | null): void {
    this.#options.topics.broadcast(
      record.topicKey,
      { ...record, name: nameOfTopicKey(record.topicKey) },
      exceptId,
      storedId,
    );
  }
}

const LENGTH_BYTES = 4;

type Head = [node: string, topicKey: string, event: string, isBinary: boolean, meta: string | null];

/** The length of the head, the head as JSON, the payload unchanged. */
function encodeRecord(node: string, { topicKey, event, isBinary, meta, payload }: BroadcastRecord): Buffer {
  const head = Buffer.from(JSON.stringify([node, topicKey, event, isBinary, meta]));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(head.length);
  return Buffer.concat([length, head, payload]);
}

/** Items that a newer release has added are ignored. */
function isHead(value: unknown): value is Head {
  if (!Array.isArray(value)) return false;
  const [node, topicKey, event, isBinary, meta] = value as readonly unknown[];
  const isNamed = [node, topicKey, event].every((text) => typeof text === "string");
  return isNamed && typeof isBinary === "boolean" && (meta === null || typeof meta === "string");
}

/** Null for an invalid record: any SQL session can write messages into the WAL. */
function decodeRecord(content: Buffer): { node: string; record: BroadcastRecord } | null {
  try {
    const end = LENGTH_BYTES + content.readUInt32BE(0);
    const head = JSON.parse(content.toString("utf8", LENGTH_BYTES, end)) as unknown;
    if (!isHead(head)) return null;
    const [node, topicKey, event, isBinary, meta] = head;
    return { node, record: { topicKey, event, isBinary, meta, payload: content.subarray(end) } };
  } catch {
    return null;
  }
}
