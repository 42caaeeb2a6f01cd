import type { ConnectionSource, TlsMaterial } from "../http/index.ts";
import type { Counts } from "../limits/index.ts";
import type { OpenFeedStream, SocketCounts } from "../realtime/index.ts";

/** The primary process as a worker process sees it: what that process takes from it instead of having its own. */
export interface PrimaryProcess {
  /** Identifies the worker process among all nodes. */
  readonly node: string;
  /** The address for clients. */
  readonly url: string;
  readonly source: ConnectionSource;
  readonly counts: Counts;
  readonly socketCounts: SocketCounts;
  readonly openStream: OpenFeedStream;
  /** Calls the listener with each new certificate, also with one that came before this call. */
  onCertificate(listener: (material: TlsMaterial) => void): void;
}
