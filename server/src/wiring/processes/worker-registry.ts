import {
  keepSums,
  type Meter,
  mergeMetrics,
  type Observer,
  renderMetrics,
  type WorkerMetrics,
} from "../../observe/index.ts";
import type { ServiceWorker } from "./fork-service-worker.ts";

/** The worker processes of a primary: which of them serve, and their metrics. */
export class WorkerRegistry {
  readonly #observer: Observer;
  readonly #serving = new Set<ServiceWorker>();
  readonly #alive = new Set<ServiceWorker>();
  /** Lost nodes whose leases are not released yet. */
  readonly #lost = new Set<string>();
  #ended: WorkerMetrics = { worker: "", families: [] };

  constructor(observer: Observer) {
    this.#observer = observer;
  }

  /** Those that have not ended. */
  get alive(): Iterable<ServiceWorker> {
    return this.#alive;
  }

  add(worker: ServiceWorker): void {
    this.#serving.add(worker);
    this.#alive.add(worker);
    void worker.exited.then(() => this.#forget(worker));
    this.#takeOver();
  }

  leave(worker: ServiceWorker): void {
    this.#serving.delete(worker);
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
      Array.from(this.#alive, async (worker) => {
        worker.metrics = await worker.peer.call("readMetrics", null).catch(() => worker.metrics);
        return { worker: String(worker.id), families: worker.metrics };
      }),
    );
    return renderMetrics(mergeMetrics([...workers, own, this.#ended]));
  }

  #forget(worker: ServiceWorker): void {
    this.#alive.delete(worker);
    const last = keepSums({ worker: "", families: worker.metrics });
    this.#ended = { worker: "", families: mergeMetrics([this.#ended, last]) };
  }

  #takeOver(): void {
    const [worker] = this.#serving;
    if (worker === undefined) return;
    for (const node of this.#lost) {
      this.#lost.delete(node);
      worker.peer.call("takeOver", node).catch((error: unknown) => {
        this.#observer.note("process.takeover_failed", { error });
      });
    }
  }
}
