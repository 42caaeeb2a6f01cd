import type { Observer } from "../../observe/index.ts";

const NOTE_INTERVAL_MS = 10_000;

/** Reports connections that a limit has closed. A flood of connections must not flood the log. */
export class ExceededNotes {
  readonly #observer: Observer;
  #closedSinceNote = 0;
  #notedAtMs = Number.NEGATIVE_INFINITY;

  constructor(observer: Observer) {
    this.#observer = observer;
  }

  add(open: number): void {
    this.#closedSinceNote += 1;
    const nowMs = performance.now();
    if (nowMs - this.#notedAtMs < NOTE_INTERVAL_MS) return;
    this.#observer.note("http.connections_exceeded", { closed: this.#closedSinceNote, open });
    this.#notedAtMs = nowMs;
    this.#closedSinceNote = 0;
  }
}
