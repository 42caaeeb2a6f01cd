import type { Socket } from "node:net";

/** Finds and closes connections without a request in progress: those of one address, or of all when it is null. */
export interface IdleConnections {
  /** For how long the longest idle one is idle; null when none is. */
  findIdleMs(address: string | null): number | null;
  /** Returns whether there was one to close. */
  closeIdle(address: string | null): boolean;
}

/** The process that listens for this one: it accepts connections, counts them over all processes, and passes them on. */
export interface ConnectionSource {
  readonly port: number;
  /** Calls `onConnection` for each connection from now on. */
  open(onConnection: (socket: Socket) => void, idle: IdleConnections): void;
  /** A connection has ended; the address is null for a trusted proxy. */
  release(address: string | null): void;
  /** Counts a request of the address. False means that too many are in progress. */
  admitRequest(address: string): Promise<boolean>;
  releaseRequest(address: string): void;
}
