/** Requests to the process with the node. */
export type NodeQuestion =
  | { readonly kind: "start"; readonly adminUrl: string; readonly masterKey: string }
  /** Sends the text this many times to every raw socket, followed by the end marker. */
  | { readonly kind: "broadcast"; readonly text: string; readonly count: number; readonly end: string }
  | { readonly kind: "usage" };

export interface NodeAnswer {
  readonly port: number;
  readonly rawPort: number;
  readonly cpuMs: number;
  readonly rssBytes: number;
  readonly heapBytes: number;
}

/** Requests to the process with the clients. */
export type SocketQuestion =
  | { readonly kind: "open"; readonly port: number; readonly count: number; readonly userIds: readonly string[] | null }
  /** From now on the sockets search for the text. */
  | { readonly kind: "arm"; readonly end: string }
  /** Waits until every socket has received it. */
  | { readonly kind: "wait" }
  /** Returns the next change as text, without its frame. */
  | { readonly kind: "sample" }
  /** From now on every number in `seq-…` is recorded with its time. */
  | { readonly kind: "note" }
  | { readonly kind: "notes" }
  | { readonly kind: "close" };

export interface SocketAnswer {
  /** The time at which the last socket received it, in milliseconds of the wall clock. */
  readonly atMs: number;
  readonly text: string;
  readonly notes: readonly (readonly [seq: number, atMs: number])[];
  /** The round-trip times of heartbeats meanwhile. */
  readonly heartbeatsMs: readonly number[];
}

export function wallMs(): number {
  return performance.timeOrigin + performance.now();
}
