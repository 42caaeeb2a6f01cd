import { setTimeout as sleep } from "node:timers/promises";
import { shareRuns } from "@swarmbase/concurrency";
import type pg from "pg";
import { createNotificationChannel } from "../../db/index.ts";
import { type Commits, UNWATCHED } from "../../jobs/index.ts";
import type { Observer } from "../../observe/index.ts";
import type { Catalogue } from "./catalogue.ts";
import { loadCatalogue, loadFingerprint } from "./load-catalogue.ts";

/** The maximum delay for an unannounced schema change, after its commit was noticed. */
const CHECK_EVERY_MS = 1_000;
/** Polls take at most a hundredth of one connection's time; their cost grows with the schema. */
const CHECK_EVERY_MAX_MS = 30_000;
const CHECK_EVERY_PER_COST = 100;
/** Checks after misses take about a twentieth of one connection's time, whatever clients request; a miss may wait for one. */
const MIN_SPACING_MS = 100;
const MAX_SPACING_MS = 1_000;
const SPACING_PER_COST = 20;

interface CatalogueOptions {
  readonly pool: pg.Pool;
  /** Where to listen for notifications; not through a transaction pooler. Null means that changes are found by polling. */
  readonly listenUrl: string | null;
  readonly schemas: readonly string[];
  readonly observer: Observer;
  readonly commits?: Commits;
}

export async function openCatalogue(options: CatalogueOptions): Promise<CatalogueHolder> {
  return new CatalogueHolder(options, await loadCatalogue(options.pool, options.schemas));
}

/**
 * The current catalogue of this node. Changes arrive in three ways: by a notification on `pgrst`, by polling, and by a request that
 * fails because of an unknown name. A request keeps the catalogue that it began with.
 */
export class CatalogueHolder {
  readonly #options: CatalogueOptions;
  /** Reads the catalogue as of a moment after the call. Returns the same object when nothing has changed. */
  readonly reload: () => Promise<Catalogue>;
  /**
   * For a request that failed because of an unknown name or a statement that did not fit: the catalogue as of a moment after the call.
   * The same object as before confirms the error. Concurrent callers share one check, checks are rate-limited, and only a change is
   * read in full. Throws while the database is unreachable.
   */
  readonly refresh: () => Promise<Catalogue>;
  #current: Catalogue;
  #checkCostMs = 0;
  #nextCheckAtMs = 0;
  #isSuspect = false;

  constructor(options: CatalogueOptions, first: Catalogue) {
    this.#options = options;
    this.#current = first;
    this.reload = shareRuns(() => this.#read());
    this.refresh = shareRuns(
      () => this.#poll(),
      () => this.#waitForCheck(),
    );
  }

  current(): Catalogue {
    return this.#current;
  }

  /** Tries once more with a refreshed catalogue when the error may come from an outdated one. */
  async use<T>(work: (catalogue: Catalogue) => T | Promise<T>, isDoubtful: (error: unknown) => boolean): Promise<T> {
    const catalogue = this.#current;
    try {
      return await work(catalogue);
    } catch (error) {
      if (!isDoubtful(error)) throw error;
      const fresh = await this.refresh();
      if (fresh === catalogue) throw error;
      return work(fresh);
    }
  }

  /** Keeps the catalogue up to date until the signal is aborted. */
  async watch(signal: AbortSignal, { checkEveryMs = CHECK_EVERY_MS } = {}): Promise<void> {
    await Promise.all([this.#listen(signal), this.#checkRegularly(signal, checkEveryMs)]);
  }

  /** On a dedicated connection. */
  async #listen(signal: AbortSignal): Promise<void> {
    const { listenUrl: url, observer } = this.#options;
    if (url === null) return;
    const channel = createNotificationChannel({
      url,
      channel: "pgrst",
      applicationName: "swarmbase-catalogue",
      // Notifications may have been missed before.
      onListening: () => void this.#attempt(() => this.refresh()),
      onNotification: (payload) => {
        if (payload === "" || payload === "reload schema") void this.#attempt(() => this.reload());
      },
      onLost: (error) => observer.note("catalogue.listener_lost", { error }),
    });
    await channel.run(signal);
  }

  async #checkRegularly(signal: AbortSignal, everyMs: number): Promise<void> {
    const { commits = UNWATCHED } = this.#options;
    for (;;) {
      const { version } = commits;
      const costlyMs = Math.min(CHECK_EVERY_MAX_MS, this.#checkCostMs * CHECK_EVERY_PER_COST);
      await sleep(Math.max(everyMs, costlyMs), undefined, { signal }).catch(() => {});
      const isDue = this.#isSuspect || !this.#current.isComplete;
      if (!isDue) await commits.after(version, signal);
      if (signal.aborted) return;
      await this.#attempt(() => (isDue ? this.reload() : this.refresh()));
    }
  }

  /** A failed read keeps the catalogue and is retried. */
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

  async #poll(): Promise<Catalogue> {
    const startedAtMs = performance.now();
    let spacingMs = MIN_SPACING_MS;
    try {
      const version = await loadFingerprint(this.#options.pool);
      // Schema changes come in groups: the next check after a change is not delayed long.
      if (version !== this.#current.version) return await this.reload();
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
    // Plans are cached by catalogue, so an equal one does not replace it.
    const isNews = read.version !== known.version || (read.isComplete && !known.isComplete);
    if (isNews) {
      this.#current = read;
      observer.note("catalogue.reloaded", { tookMs: Math.round(performance.now() - startedAtMs) });
    }
    return this.#current;
  }
}
