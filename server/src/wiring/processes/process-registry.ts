import {
  keepSums,
  type Meter,
  mergeMetrics,
  type Observer,
  renderMetrics,
  type ProcessMetrics,
} from "../../observe/index.ts";
import type { ServiceProcess } from "./fork-service-process.ts";

/**
 * The worker processes of a primary, and their metrics.
 *
 * serving: from `add`. It gets connections, and takes over what others have lost. leaving: from `leave`; it finishes what it does, or is
 * about to end. A process that has ended is forgotten, in whichever of the two it was; its sums stay in the metrics, counted once.
 *
 * A lost node stays in `#lost` until a serving process was told to release its leases. What that process does not release, because it
 * fails or ends as well, and what nobody releases after a crash of the primary, expires.
 */
export class ProcessRegistry {
  readonly #observer: Observer;
  readonly #states = new Map<ServiceProcess, "serving" | "leaving">();
  /** Lost nodes whose leases are not released yet. */
  readonly #lost = new Set<string>();
  #ended: ProcessMetrics = { worker: "", families: [] };

  constructor(observer: Observer) {
    this.#observer = observer;
  }

  /** Those that have not ended. */
  get alive(): Iterable<ServiceProcess> {
    return this.#states.keys();
  }

  add(workerProcess: ServiceProcess): void {
    this.#states.set(workerProcess, "serving");
    void workerProcess.exited.then(() => this.#forget(workerProcess));
    this.#takeOver();
  }

  leave(workerProcess: ServiceProcess): void {
    if (this.#states.has(workerProcess)) this.#states.set(workerProcess, "leaving");
  }

  /** Another worker process releases the leases of this one, now or as soon as there is one. */
  lose({ node }: ServiceProcess): void {
    this.#lost.add(node);
    this.#takeOver();
  }

  /** The metrics of all worker processes, and those of this process. */
  async renderMetrics(meter: Meter): Promise<string> {
    const own = { worker: "primary", families: await meter.read() };
    const processes = await Promise.all(
      Array.from(this.#states.keys(), async (workerProcess) => {
        workerProcess.metrics = await workerProcess.peer.call("readMetrics", null).catch(() => workerProcess.metrics);
        return { worker: String(workerProcess.id), families: workerProcess.metrics };
      }),
    );
    return renderMetrics(mergeMetrics([...processes, own, this.#ended]));
  }

  #forget(workerProcess: ServiceProcess): void {
    this.#states.delete(workerProcess);
    const last = keepSums({ worker: "", families: workerProcess.metrics });
    this.#ended = { worker: "", families: mergeMetrics([this.#ended, last]) };
  }

  #takeOver(): void {
    const [workerProcess] = [...this.#states].find(([, state]) => state === "serving") ?? [];
    if (workerProcess === undefined) return;
    for (const node of this.#lost) {
      this.#lost.delete(node);
      workerProcess.peer.call("takeOver", node).catch((error: unknown) => {
        this.#observer.note("process.takeover_failed", { error });
      });
    }
  }
}
