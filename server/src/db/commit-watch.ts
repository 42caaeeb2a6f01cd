import type pg from "pg";
import { type Commits, nextTick } from "../jobs/index.ts";

const INTERVAL_MS = 1_000;
const SNAPSHOT = { name: "watch-commits", text: "select pg_catalog.pg_current_snapshot()::text as snapshot" };

/**
 * Notices commits, whoever makes them: two equal snapshots see the same rows. Locks and the time change without one. While it does not
 * run, or the database does not answer, each look counts as a commit.
 */
export class CommitWatch implements Commits {
  readonly #pool: pg.Pool;
  readonly #waiting = new Set<() => void>();
  #snapshot: string | null = null;
  #version = 0;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  get version(): number {
    if (this.#snapshot === null) this.#version += 1;
    return this.#version;
  }

  onceAfter(version: number, callBack: () => void): () => void {
    if (version !== this.version) callBack();
    else this.#waiting.add(callBack);
    return () => this.#waiting.delete(callBack);
  }

  async after(version: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    signal.addEventListener("abort", () => resolve(), { once: true });
    const stop = this.onceAfter(version, resolve);
    await promise;
    stop();
  }

  async run(signal: AbortSignal, intervalMs = INTERVAL_MS): Promise<void> {
    while (!signal.aborted) {
      this.#see(await this.#readSnapshot());
      await nextTick(intervalMs, signal);
    }
    this.#see(null);
  }

  async #readSnapshot(): Promise<string | null> {
    try {
      const { rows } = await this.#pool.query<{ snapshot: string }>(SNAPSHOT);
      return rows[0]?.snapshot ?? null;
    } catch {
      return null;
    }
  }

  #see(snapshot: string | null): void {
    if (snapshot !== null && snapshot === this.#snapshot) return;
    this.#snapshot = snapshot;
    this.#version += 1;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const callBack of waiting) callBack();
  }
}
