import type { Emitter } from "./emitter.ts";

export const MARKER_PREFIX = "swarmbase.marker";

/**
 * Tells when the feed has come to where the WAL ends now. A mark is written and waited for; all who ask while one is being
 * written share the next one.
 */
export class Markers {
  readonly #emitter: Emitter;
  readonly #nodeId: string;
  readonly #expected = new Map<string, () => void>();
  #count = 0;
  #next: Promise<void> | null = null;
  #writing: Promise<void> = Promise.resolve();

  constructor(emitter: Emitter, nodeId: string) {
    this.#emitter = emitter;
    this.#nodeId = nodeId;
  }

  /** Rejects when the mark cannot be written; does not resolve when the feed is lost before. */
  pass(): Promise<void> {
    this.#next ??= this.#writing.then(() => {
      this.#next = null;
      return this.#write();
    });
    return this.#next;
  }

  see(content: Buffer): void {
    const mark = content.toString();
    const seen = this.#expected.get(mark);
    this.#expected.delete(mark);
    seen?.();
  }

  /** None of them will come. */
  clear(): void {
    this.#expected.clear();
  }

  async #write(): Promise<void> {
    this.#count += 1;
    const mark = `${this.#nodeId}:${this.#count}`;
    const seen = new Promise<void>((resolve) => this.#expected.set(mark, resolve));
    const written = this.#emitter.emit(MARKER_PREFIX, Buffer.from(mark));
    this.#writing = written.catch(() => {
      this.#expected.delete(mark);
    });
    await written;
    await seen;
  }
}
