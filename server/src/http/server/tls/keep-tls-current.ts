import { setTimeout as sleep } from "node:timers/promises";
import type { Worker } from "../../../jobs/index.ts";
import type { Observer } from "../../../observe/index.ts";
import type { TlsMaterial } from "./tls-material.ts";

interface KeepTlsCurrentOptions {
  /** The material in use. */
  readonly first: TlsMaterial;
  readonly intervalMs?: number;
  readonly observer: Observer;
  /** Reads the files, and renews the local certificate when it is about to expire. */
  load(): Promise<TlsMaterial>;
  /** Uses the material for new connections. */
  apply(material: TlsMaterial): void;
}

const INTERVAL_MS = 60_000;

/**
 * Reloads certificates of a running service: the local one is renewed, and the operator's is replaced by external
 * tools. Polling is cheap and, unlike file notifications, works in containers and on network file systems. Files that
 * do not match (yet) are reported once, and the current certificate stays in use.
 */
export function keepTlsCurrent(o: KeepTlsCurrentOptions): Worker {
  const { intervalMs = INTERVAL_MS, observer } = o;
  let served = o.first;
  let lastFault: string | null = null;
  const poll = async (): Promise<void> => {
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
      if (!signal.aborted) await poll();
    }
  };
  return { name: "certificate-keeper", run };
}
