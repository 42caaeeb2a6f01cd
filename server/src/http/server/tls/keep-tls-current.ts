import { setTimeout as sleep } from "node:timers/promises";
import type { Worker } from "../../../jobs/index.ts";
import type { Observer } from "../../../observe/index.ts";
import type { TlsMaterial } from "./tls-material.ts";

export interface KeepTlsCurrentOptions {
  /** What is served now. */
  readonly first: TlsMaterial;
  readonly intervalMs?: number;
  readonly observer: Observer;
  /** Reads the files, and renews a certificate of our own that is about to run out. */
  load(): Promise<TlsMaterial>;
  /** Serves new connections with it. */
  apply(material: TlsMaterial): void;
}

const INTERVAL_MS = 60_000;

/**
 * A certificate changes under a running service: the local one is renewed, the operator's is replaced by whatever renews
 * it. Looking is cheap, and unlike being told it also works in containers and on network file systems. Files that do not
 * fit together (yet) are reported once, and the certificate at hand stays.
 */
export function keepTlsCurrent(o: KeepTlsCurrentOptions): Worker {
  const { intervalMs = INTERVAL_MS, observer } = o;
  let served = o.first;
  let lastFault: string | null = null;
  const look = async (): Promise<void> => {
    try {
      const found = await o.load();
      lastFault = null;
      if (found.cert === served.cert && found.key === served.key) return;
      o.apply(found);
      served = found;
      observer.note("tls.renewed");
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (reason !== lastFault) observer.note("tls.reload_failed", { error });
      lastFault = reason;
    }
  };
  const run = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      await sleep(intervalMs, undefined, { signal }).catch(() => {});
      if (!signal.aborted) await look();
    }
  };
  return { name: "certificate-keeper", run };
}
