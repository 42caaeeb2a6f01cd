import {
  keepSums,
  type Meter,
  mergeMetrics,
  type Observer,
  renderMetrics,
  type WorkerMetrics,
} from "../../observe/index.ts";
import type { ServiceWorker } from "./fork-service-worker.ts";

/**
 * The worker processes of a primary, and their metrics.
 *
 * serving: from `add`. It gets connections, and takes over what others have lost. leaving: from `leave`; it finishes what it does, or is
 * about to end. A process that has ended is forgotten, in whichever of the two it was; its sums stay in the metrics, counted once.
 *
 * A lost node stays in `#lost` until a serving process was told to release its leases. What that process does not release, because it
 * fails or ends as well, and what nobody releases after a crash of the primary, expires.
 */
export class WorkerRegistry {
  readonly #observer: Observer;
  readonly #states = new Map<ServiceWorker, "serving" | "leaving">();
  /** Lost nodes whose leases are not released yet. */
  readonly #lost = new Set<string>();
  #ended: WorkerMetrics = { worker: "", families: [] };

  constructor(observer: Observer) {
    this.#observer = observer;
  }

  /** Those that have not ended. */
  get alive(): Iterable<ServiceWorker> {
    return this.#states.keys();
  }

  add(worker: ServiceWorker): void {
    this.#states.set(worker, "serving");
    void worker.exited.then(() => this.#forget(worker));
    this.#takeOver();
  }

  leave(worker: ServiceWorker): void {
    if (this.#states.has(worker)) this.#states.set(worker, "leaving");
  }

  /** Another worker releases the leases of this one, now or as soon as there is one. */
  lose({ node }: ServiceWorker): void {
    this.#lost.add(node);
    this.#takeOver();
  }

  /** The metrics of all workers, and those of this process. */
  async renderMetrics(meter: Meter): Promise<string> {
    const own = { worker: "primary", families: await meter.read() };
    const workers = await Promise.all(
      Array.from(this.#states.keys(), async (worker) => {
        worker.metrics = await worker.peer.call("readMetrics", null).catch(() => worker.metrics);
        return { worker: String(worker.id), families: worker.metrics };
      }),
    );
    return renderMetrics(mergeMetrics([...workers, own, this.#ended]));
  }

  #forget(worker: ServiceWorker): void {
    this.#states.delete(worker);
    const last = keepSums({ worker: "", families: worker.metrics });
    this.#ended = { worker: "", families: mergeMetrics([this.#ended, last]) };
  }

  #takeOver(): void {
    const [worker] = [...this.#states].find(([, state]) => state === "serving") ?? [];
    if (worker === undefined) return;
    for (const node of this.#lost) {
      this.#lost.delete(node);
      worker.peer.call("takeOver", node).catch((error: unknown) => {
        this.#observer.note("process.takeover_failed", { error });
      });
    }
  }
}
