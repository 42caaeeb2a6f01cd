import { type DatabaseServer, measureStorage, watchStorage } from "../../db/index.ts";
import { supervise, type Worker } from "../../jobs/index.ts";
import type { Closers } from "../closers.ts";
import type { NodeContext } from "../node-context.ts";

/** Runs workers until the service stops. The result rejects when a critical worker has failed. */
export function runWorkers(
  { observer }: Pick<NodeContext, "observer">,
  closers: Closers,
  { workers, ...options }: { readonly workers: readonly Worker[]; readonly stopTimeoutMs?: number },
): Promise<never> {
  const working = new AbortController();
  const supervised = supervise(workers, { signal: working.signal, observer, ...options });
  closers.add("workers", async () => {
    working.abort();
    await supervised;
  });
  const failed = supervised.then(() => new Promise<never>(() => {}));
  failed.catch(() => {});
  return failed;
}

/** Reports a disk that fills up. None when the database is on another machine. */
export function watchDisk(
  { settings, observer }: Pick<NodeContext, "settings" | "observer">,
  { clusterDir }: DatabaseServer,
): readonly Worker[] {
  if (clusterDir === null) return [];
  const measure = () => measureStorage(clusterDir);
  return [{ name: "storage-watch", run: (until) => watchStorage({ settings, observer, measure }, until) }];
}
