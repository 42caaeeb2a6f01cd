import type { Changes } from "../changes.ts";

export const MARKER_PREFIX = "swarmbase.marker";

/** Waits until the feed reaches the current end of the WAL by writing a marker, which calls during a write share. */
export class Markers {
  readonly #emit: Changes["emit"];
  readonly #nodeId: string;
  readonly #expected = new Map<string, () => void>();
  #count = 0;
  #next: Promise<void> | null = null;
  #writing: Promise<void> = Promise.resolve();

  constructor(emit: Changes["emit"], nodeId: string) {
    this.#emit = emit;
    this.#nodeId = nodeId;
  }

  /** Rejects when the marker cannot be written; never settles when the feed is lost first. */
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

  /** The feed is lost: the expected markers will not arrive. */
  clear(): void {
    this.#expected.clear();
  }

  async #write(): Promise<void> {
    this.#count += 1;
    const mark = `${this.#nodeId}:${this.#count}`;
    const seen = new Promise<void>((resolve) => this.#expected.set(mark, resolve));
    const written = this.#emit(MARKER_PREFIX, Buffer.from(mark));
    this.#writing = written.catch(() => {
      this.#expected.delete(mark);
    });
    await written;
    await seen;
  }
}
