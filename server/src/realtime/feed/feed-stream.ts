/** The messages of pgoutput in the order of the WAL. */
export interface FeedStream {
  /** Null when another process has the replication slot. */
  readonly slotName: string | null;
  /** Resolves with the reason when the stream ends; never rejects. */
  readonly ended: Promise<Error>;
  /** Resolves when every later commit will be streamed. */
  start(): Promise<void>;
  /**
   * Resolves when all later changes of the tables with these keys will be streamed, with the ids of recent transactions of which
   * changes were left out. A stream that leaves out nothing does nothing.
   */
  follow(tables: readonly string[]): Promise<readonly number[]>;
  pause(): void;
  resume(): void;
  /** Ends the stream in any state. */
  close(): Promise<void>;
}

/** `onMessage` handles a message synchronously, and must copy what it keeps. An error ends the stream. */
export type OpenFeedStream = (onMessage: (message: Buffer) => void) => FeedStream;
