import type { ConnectionSource, TlsMaterial } from "./http/index.ts";
import type { Counts } from "./limits/index.ts";
import type { OpenFeedStream, SocketCounts } from "./realtime/index.ts";

/** What a worker process has from the primary instead of its own. */
export interface WorkerPart {
  /** Identifies the process among all nodes. */
  readonly node: string;
  /** The address for clients. */
  readonly url: string;
  readonly source: ConnectionSource;
  readonly counts: Counts;
  readonly socketCounts: SocketCounts;
  readonly openStream: OpenFeedStream;
  /** Calls the listener with each new certificate. */
  onTls(listener: (material: TlsMaterial) => void): void;
}
