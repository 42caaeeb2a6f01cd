import type pg from "pg";
import { type Commits, UNWATCHED, type Worker } from "../../../jobs/index.ts";
import type { Observer } from "../../../observe/index.ts";
import { Feed, type FeedReader } from "../feed.ts";
import type { FeedStream, OpenFeedStream } from "../feed-stream.ts";
import { MAX_LAG_BYTES } from "../open-replication.ts";
import { tableKeys } from "../../table-key.ts";
import { WireReader } from "../wire-reader.ts";
import type { AttachedFeed, FeedPeer } from "./feed-peer.ts";
import type { FilteredMessage } from "./feed-filter.ts";
import { FeedReceiver, type FeedReceiverOptions } from "./feed-receiver.ts";

interface FeedRelayOptions {
  readonly openStream: OpenFeedStream;
  readonly pool: pg.Pool;
  readonly commits?: Commits;
  readonly observer: Observer;
  readonly random?: () => number;
  readonly limits?: FeedReceiverOptions["limits"];
}

interface DescribedTable {
  readonly message: Buffer;
  readonly tableKeys: readonly string[];
}

const XID_OFFSET = 17;
const OID_OFFSET = 1;
const CHECK_INTERVAL_MS = 1_000;

/**
 * Reads the change feed once for several processes, and passes to each the changes of the tables that it follows. Each has a queue
 * of its own: while one is full, the stream pauses; a process that makes no progress meanwhile is cut.
 */
export class FeedRelay {
  readonly #options: FeedRelayOptions;
  readonly #feed: Feed;
  readonly #receivers = new Set<FeedReceiver>();
  /** The stream describes a table once, so processes that attach later get the descriptions from here. */
  readonly #relations = new Map<number, DescribedTable>();
  #whenBetween = Promise.withResolvers<void>();
  #isInTransaction = false;
  #stream: Pick<FeedStream, "pause" | "resume"> | null = null;

  constructor(options: FeedRelayOptions) {
    this.#options = options;
    const { openStream, pool, commits = UNWATCHED, observer, random = Math.random } = options;
    this.#feed = new Feed({
      openStream,
      pool,
      commits,
      observer,
      random,
      maxLagBytes: MAX_LAG_BYTES,
      createReader: (streamOf) => this.#createReader(streamOf),
      onLost: (reason) => {
        for (const receiver of this.#receivers) receiver.lose(reason);
      },
    });
  }

  get worker(): Worker {
    return {
      name: "realtime-feed",
      run: async (signal) => {
        const timer = setInterval(() => this.#cutStalled(), CHECK_INTERVAL_MS);
        await this.#feed.run(signal).finally(() => clearInterval(timer));
      },
    };
  }

  lagBytes(): number | null {
    return this.#feed.lagBytes;
  }

  /** Resolves when the peer will get every later commit; with a reason when an administrator must act first. */
  async attach(peer: FeedPeer): Promise<AttachedFeed | { readonly unavailable: string }> {
    for (;;) {
      if (this.#feed.state === "unavailable") return { unavailable: this.#feed.reason ?? "" };
      await this.#feed.whenDecided();
      // A transaction must arrive from its beginning.
      if (this.#feed.state === "live" && this.#isInTransaction) await this.#whenBetween.promise;
      if (this.#feed.state === "live" && !this.#isInTransaction) return this.#add(peer);
    }
  }

  #add(peer: FeedPeer): AttachedFeed {
    const { limits } = this.#options;
    const receiver = new FeedReceiver({
      ...peer,
      ...(limits !== undefined && { limits }),
      onEnd: () => {
        this.#receivers.delete(receiver);
        this.#updatePause();
      },
      onProgress: () => this.#updatePause(),
    });
    this.#receivers.add(receiver);
    for (const { message } of this.#relations.values()) receiver.offer({ kind: "description", message });
    return receiver;
  }

  #createReader(streamOf: () => Pick<FeedStream, "pause" | "resume">): FeedReader {
    this.#relations.clear();
    return {
      failed: new Promise(() => {}),
      read: (message) => {
        this.#stream = streamOf();
        this.#read(message);
      },
      close: () => {
        this.#stream = null;
        this.#leaveTransaction();
      },
    };
  }

  #read(message: Buffer): void {
    // The driver uses its buffer again.
    const read = this.#describe(Buffer.from(message));
    if (read.kind === "begin") this.#isInTransaction = true;
    for (const receiver of this.#receivers) receiver.offer(read);
    if (read.kind === "commit") this.#leaveTransaction();
    if (this.#isAnyFull()) this.#stream?.pause();
  }

  #describe(message: Buffer): FilteredMessage {
    switch (String.fromCharCode(message[0] ?? 0)) {
      case "B":
        return { kind: "begin", message, xid: message.readUInt32BE(XID_OFFSET) };
      case "C":
        return { kind: "commit", message };
      case "R":
        this.#relations.set(message.readUInt32BE(OID_OFFSET), { message, tableKeys: readTableKeys(message) });
        return { kind: "description", message };
      case "Y":
        return { kind: "description", message };
      case "I":
      case "U":
      case "D": {
        const table = this.#relations.get(message.readUInt32BE(OID_OFFSET));
        if (table === undefined) throw new RangeError("the replication stream did not describe a table");
        return { kind: "change", message, tableKeys: table.tableKeys };
      }
      default:
        return { kind: "other", message };
    }
  }

  #leaveTransaction(): void {
    this.#isInTransaction = false;
    this.#whenBetween.resolve();
    this.#whenBetween = Promise.withResolvers<void>();
  }

  #isAnyFull(): boolean {
    for (const receiver of this.#receivers) if (receiver.isFull) return true;
    return false;
  }

  #updatePause(): void {
    if (!this.#isAnyFull()) this.#stream?.resume();
  }

  #cutStalled(): void {
    const nowMs = performance.now();
    for (const receiver of this.#receivers) {
      if (!receiver.isStalled(nowMs)) continue;
      this.#options.observer.note("realtime.process_cut", { waitingBytes: receiver.waitingBytes });
      receiver.lose("This process was too slow for the change feed");
    }
  }
}

function readTableKeys(message: Buffer): readonly string[] {
  const reader = new WireReader(message.subarray(OID_OFFSET));
  reader.uint32();
  return tableKeys(reader.name(), reader.name());
}
