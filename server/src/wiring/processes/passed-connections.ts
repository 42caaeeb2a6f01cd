import type { ChildProcess } from "node:child_process";
import type { Socket } from "node:net";

/** The connections that are on their way to a worker process, which confirms each. */
export class PassedConnections {
  readonly #passing = new Map<number, PromiseWithResolvers<void>>();
  #last = 0;

  /** Resolves when the process has the connection, and rejects when it does not get it. */
  pass(child: ChildProcess, socket: Socket): Promise<void> {
    this.#last += 1;
    const connection = this.#last;
    const confirmed = Promise.withResolvers<void>();
    this.#passing.set(connection, confirmed);
    const onSent = (error: Error | null): void => {
      if (error !== null && this.#passing.delete(connection)) confirmed.reject(error);
    };
    if (!child.connected) onSent(new Error("the process has ended"));
    // Kept open, so that another process can get it if this one ends before it has confirmed.
    else child.send({ connection }, socket, { keepOpen: true }, onSent);
    return confirmed.promise;
  }

  confirm(connection: number): void {
    this.#passing.get(connection)?.resolve();
    this.#passing.delete(connection);
  }

  /** Resolves when none is on its way. */
  async drain(): Promise<void> {
    await Promise.allSettled(Array.from(this.#passing.values(), ({ promise }) => promise));
  }

  /** The process has ended. */
  lose(): void {
    const lost = [...this.#passing.values()];
    this.#passing.clear();
    for (const { reject } of lost) reject(new Error("the process has ended"));
  }
}
