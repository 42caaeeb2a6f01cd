import { aborted, type Worker } from "./worker.ts";

/** Pauses workers. */
export class Hold {
  #isHeld: boolean;
  #change = Promise.withResolvers<void>();

  constructor(isHeld: boolean) {
    this.#isHeld = isHeld;
  }

  get isHeld(): boolean {
    return this.#isHeld;
  }

  set(isHeld: boolean): void {
    if (isHeld === this.#isHeld) return;
    this.#isHeld = isHeld;
    const { resolve } = this.#change;
    this.#change = Promise.withResolvers<void>();
    resolve();
  }

  /** Returns a worker that runs while the hold is released, and stops while it is set. */
  over(worker: Worker): Worker {
    const run = async (signal: AbortSignal): Promise<void> => {
      while (!signal.aborted) {
        const change = this.#change.promise;
        if (this.#isHeld) {
          await Promise.race([change, aborted(signal)]);
          continue;
        }
        const held = new AbortController();
        void change.then(() => held.abort());
        await worker.run(AbortSignal.any([signal, held.signal]));
        // The supervisor handles a worker that ends on its own.
        if (!held.signal.aborted) return;
      }
    };
    return { ...worker, run };
  }
}
