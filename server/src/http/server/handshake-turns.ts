import { FairQueue } from "@swarmbase/concurrency";
interface Handshake {
  /** The address of the client. */
  readonly key: string;
  start(): void;
}

/**
 * Starts one TLS handshake in each turn of the event loop, the addresses in turn. A handshake takes about as long as a request,
 * and a burst of them would delay everything else until the last one is done.
 */
export class HandshakeTurns {
  readonly #queue = new FairQueue<Handshake>({ permits: 1, maxHeldBy: () => 1 });

  add(key: string, start: () => void): void {
    this.#queue.add({ key, start });
    this.#startNext();
  }

  #startNext(): void {
    const next = this.#queue.take();
    if (next === null) return;
    setImmediate(() => {
      this.#queue.leave(next);
      this.#queue.free();
      this.#startNext();
    });
    next.start();
  }
}
