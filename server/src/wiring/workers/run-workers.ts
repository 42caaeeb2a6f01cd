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
