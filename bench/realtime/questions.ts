/** What the process with the node can be asked. */
export type NodeQuestion =
  | { readonly kind: "start"; readonly adminUrl: string; readonly masterKey: string }
  /** Sends the text so many times to every raw socket, and the end after it. */
  | { readonly kind: "broadcast"; readonly text: string; readonly count: number; readonly end: string }
  | { readonly kind: "usage" };

export interface NodeAnswer {
  readonly port: number;
  readonly rawPort: number;
  readonly cpuMs: number;
  readonly rssBytes: number;
  readonly heapBytes: number;
}

/** What the process with the clients can be asked. */
export type SocketQuestion =
  | { readonly kind: "open"; readonly port: number; readonly count: number; readonly userIds: readonly string[] | null }
  /** From now on the sockets look for the text. */
  | { readonly kind: "arm"; readonly end: string }
  /** Until every socket has seen it. */
  | { readonly kind: "wait" }
  /** The next change as text, without its frame. */
  | { readonly kind: "sample" }
  /** From now on every number in `seq-…` is noted with its time. */
  | { readonly kind: "note" }
  | { readonly kind: "notes" }
  | { readonly kind: "close" };

export interface SocketAnswer {
  /** When the last socket had seen it, in milliseconds of the wall clock. */
  readonly atMs: number;
  readonly text: string;
  readonly notes: readonly (readonly [seq: number, atMs: number])[];
  /** How long heartbeats took to be answered meanwhile. */
  readonly heartbeatsMs: readonly number[];
}

export function wallMs(): number {
  return performance.timeOrigin + performance.now();
}
