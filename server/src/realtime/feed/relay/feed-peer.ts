/** How a process that has no stream of its own gets the messages. */
export interface FeedPeer {
  /** Messages with their lengths, as `splitMessages` takes them. */
  send(content: Buffer): void;
  /** The peer has missed messages, and has to attach again. */
  lose(reason: string): void;
}

export interface AttachedFeed {
  /** The peer has handled this much. */
  take(bytes: number): void;
  /** As of a stream. */
  follow(tables: readonly string[]): readonly number[];
  close(): void;
}
