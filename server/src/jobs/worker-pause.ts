import { aborted, type Worker } from "./worker.ts";

/** Pauses workers. */
export class WorkerPause {
  #isPaused: boolean;
  #change = Promise.withResolvers<void>();

  constructor(isPaused: boolean) {
    this.#isPaused = isPaused;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  set(isPaused: boolean): void {
    if (isPaused === this.#isPaused) return;
    this.#isPaused = isPaused;
    const { resolve } = this.#change;
    this.#change = Promise.withResolvers<void>();
    resolve();
  }

  /** Returns a worker that runs unless this is paused, and stops when it is. */
  over(worker: Worker): Worker {
    const run = async (signal: AbortSignal): Promise<void> => {
      while (!signal.aborted) {
        const change = this.#change.promise;
        if (this.#isPaused) {
          await Promise.race([change, aborted(signal)]);
          continue;
        }
        const paused = new AbortController();
        void change.then(() => paused.abort());
        await worker.run(AbortSignal.any([signal, paused.signal]));
        // The supervisor handles a worker that ends on its own.
        if (!paused.signal.aborted) return;
      }
    };
    return { ...worker, run };
  }
}
