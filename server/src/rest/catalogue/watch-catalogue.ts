import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { shareRuns } from "../../concurrency/index.ts";
import type { Observer } from "../../observe/index.ts";
import type { Catalogue } from "./catalogue.ts";
import { listenForDdl } from "./listen-for-ddl.ts";
import { loadCatalogue, loadFingerprint } from "./load-catalogue.ts";

/** How long a change that nobody announces and no request runs into may stay unnoticed. */
const CHECK_EVERY_MS = 1_000;
/** The larger the schema, the dearer a look: all of them together take at most a hundredth of one connection's time. */
const CHECK_EVERY_MAX_MS = 30_000;
const CHECK_EVERY_PER_COST = 100;
/** Looks after misses take about a twentieth of one connection's time, whoever asks for whatever; a miss may wait for one. */
const MIN_SPACING_MS = 100;
const MAX_SPACING_MS = 1_000;
const SPACING_PER_COST = 20;

export interface CatalogueOptions {
  readonly pool: pg.Pool;
  /** Where to listen for notices; not through a transaction pooler. Null: changes are found by looking. */
  readonly listenUrl: string | null;
  readonly schemas: readonly string[];
  readonly observer: Observer;
}

export async function openCatalogue(options: CatalogueOptions): Promise<CatalogueHolder> {
  return new CatalogueHolder(options, await loadCatalogue(options.pool, options.schemas));
}

/**
 * The catalogue as this node knows it. Changes arrive in three ways: by a notice on `pgrst`, by looking now and then, and
 * by a request that meets something unknown and asks before it believes so. A request goes on with the one it began with.
 */
export class CatalogueHolder {
  readonly #options: CatalogueOptions;
  readonly #reload: () => Promise<Catalogue>;
  readonly #check: () => Promise<Catalogue>;
  #current: Catalogue;
  #checkCostMs = 0;
  #nextCheckAtMs = 0;
  #isSuspect = false;

  constructor(options: CatalogueOptions, first: Catalogue) {
    this.#options = options;
    this.#current = first;
    this.#reload = shareRuns(() => this.#read());
    this.#check = shareRuns(
      () => this.#look(),
      () => this.#waitForCheck(),
    );
  }

  current(): Catalogue {
    return this.#current;
  }

  /** Reads all of it again, from a moment after the call. The same object comes back when nothing has changed. */
  reload(): Promise<Catalogue> {
    return this.#reload();
  }

  /**
   * For a request that would fail because a name is unknown or a statement did not fit: the catalogue as it stands at some
   * moment after the call. The same object as before means that the failure is true. Many callers cost one look, looks
   * keep their distance, and only a change is read in full. Throws while the database is away.
   */
  refresh(): Promise<Catalogue> {
    return this.#check();
  }

  /** Keeps it up to date until the signal. */
  async watch(signal: AbortSignal, { checkEveryMs = CHECK_EVERY_MS } = {}): Promise<void> {
    const { listenUrl, observer } = this.#options;
    const listening =
      listenUrl === null
        ? Promise.resolve()
        : listenForDdl(
            {
              url: listenUrl,
              observer,
              onListening: () => void this.#attempt(() => this.refresh()),
              onNotice: () => void this.#attempt(() => this.reload()),
            },
            signal,
          );
    await Promise.all([listening, this.#checkRegularly(signal, checkEveryMs)]);
  }

  async #checkRegularly(signal: AbortSignal, everyMs: number): Promise<void> {
    for (;;) {
      const costlyMs = Math.min(CHECK_EVERY_MAX_MS, this.#checkCostMs * CHECK_EVERY_PER_COST);
      await sleep(Math.max(everyMs, costlyMs), undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      const isDue = this.#isSuspect || !this.#current.isComplete;
      await this.#attempt(() => (isDue ? this.reload() : this.refresh()));
    }
  }

  /** A reading that fails leaves the catalogue as it is, and is made up for. */
  async #attempt(work: () => Promise<Catalogue>): Promise<void> {
    try {
      await work();
      this.#isSuspect = false;
    } catch (error) {
      if (!this.#isSuspect && !this.#options.pool.ending) {
        this.#options.observer.note("catalogue.reload_failed", { error });
      }
      this.#isSuspect = true;
    }
  }

  async #look(): Promise<Catalogue> {
    const startedAtMs = performance.now();
    let spacingMs = MIN_SPACING_MS;
    try {
      const version = await loadFingerprint(this.#options.pool);
      // Whoever has just changed something likely goes on: the next miss after a change is not made to wait long.
      if (version !== this.#current.version) return await this.#reload();
      this.#checkCostMs = performance.now() - startedAtMs;
      spacingMs = Math.max(MIN_SPACING_MS, Math.min(MAX_SPACING_MS, this.#checkCostMs * SPACING_PER_COST));
      return this.#current;
    } finally {
      this.#nextCheckAtMs = performance.now() + spacingMs;
    }
  }

  async #waitForCheck(): Promise<void> {
    const waitMs = this.#nextCheckAtMs - performance.now();
    if (waitMs > 0) await sleep(waitMs);
  }

  async #read(): Promise<Catalogue> {
    const startedAtMs = performance.now();
    const { pool, schemas, observer } = this.#options;
    const read = await loadCatalogue(pool, schemas);
    const known = this.#current;
    // Plans are kept with a catalogue, so an equal one is not put in its place.
    const isNews = read.version !== known.version || (read.isComplete && !known.isComplete);
    if (isNews) {
      this.#current = read;
      observer.note("catalogue.reloaded", { tookMs: Math.round(performance.now() - startedAtMs) });
    }
    return this.#current;
  }
}
