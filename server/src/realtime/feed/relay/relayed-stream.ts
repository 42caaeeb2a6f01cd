import { FeedUnavailableError } from "../explain-unavailable.ts";
import type { FeedStream, OpenFeedStream } from "../feed-stream.ts";
import { splitMessages } from "./messages.ts";

/** The process that reads the feed, as another one sees it. */
export interface FeedSource {
  /** Resolves with a reason when the feed is unavailable. From then on, `deliver` and `lose` of the listener are called. */
  attach(listener: FeedListener): Promise<{ readonly unavailable: string | null }>;
  /** Reports that this much was handled. */
  take(bytes: number): void;
  /** As of a stream. */
  follow(tables: readonly string[]): Promise<readonly number[]>;
  detach(): void;
}

export interface FeedListener {
  deliver(content: Buffer): void;
  lose(reason: string): void;
}

/** Streams what another process reads. */
export function openRelayedStream(source: FeedSource, reportBytes = REPORT_BYTES): OpenFeedStream {
  return (onMessage) => new RelayedStream(source, onMessage, reportBytes);
}

/** A small part of the window of the sender, so that reports are few and never wait for each other. */
const REPORT_BYTES = 64 * 1024;

class RelayedStream implements FeedStream {
  readonly slotName = null;
  readonly ended: Promise<Error>;
  readonly #end: (reason: Error) => void;
  readonly #source: FeedSource;
  readonly #onMessage: (message: Buffer) => void;
  /** Received while paused; the window of the sender limits it. */
  #held: Buffer[] = [];
  #isPaused = false;
  #isOver = false;
  readonly #reportBytes: number;
  #handledBytes = 0;

  constructor(source: FeedSource, onMessage: (message: Buffer) => void, reportBytes: number) {
    this.#reportBytes = reportBytes;
    const { promise, resolve } = Promise.withResolvers<Error>();
    this.ended = promise;
    this.#source = source;
    this.#onMessage = onMessage;
    this.#end = (reason) => {
      this.#isOver = true;
      this.#held = [];
      resolve(reason);
    };
  }

  async start(): Promise<void> {
    const attaching = this.#source.attach({
      deliver: (content) => this.#deliver(content),
      lose: (reason) => this.#end(new Error(reason)),
    });
    const ended = this.ended.then((reason) => Promise.reject(reason));
    const { unavailable } = await Promise.race([attaching, ended]);
    if (unavailable !== null) throw new FeedUnavailableError(unavailable);
  }

  follow(tables: readonly string[]): Promise<readonly number[]> {
    return this.#isOver ? Promise.resolve([]) : this.#source.follow(tables);
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    for (let content = this.#held.shift(); content !== undefined; content = this.#held.shift()) {
      this.#handle(content);
      if (this.#isPaused) return;
    }
  }

  async close(): Promise<void> {
    if (!this.#isOver) this.#source.detach();
    this.#end(new Error("the feed was stopped"));
  }

  #deliver(content: Buffer): void {
    if (this.#isOver) return;
    if (this.#isPaused || this.#held.length > 0) this.#held.push(content);
    else this.#handle(content);
  }

  #handle(content: Buffer): void {
    try {
      for (const message of splitMessages(content)) this.#onMessage(message);
    } catch (error) {
      this.#source.detach();
      return this.#end(error instanceof Error ? error : new Error(String(error)));
    }
    this.#handledBytes += content.length;
    if (this.#handledBytes < this.#reportBytes) return;
    this.#source.take(this.#handledBytes);
    this.#handledBytes = 0;
  }
}
