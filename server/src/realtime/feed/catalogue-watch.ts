import { shareRuns } from "@swarmbase/concurrency";
import type pg from "pg";
import { type Commits, poll } from "../../jobs/index.ts";
import type { Observer } from "../../observe/index.ts";
import { syncPublication } from "./sql/feed-statements.ts";

/** The only publication that the feed reads, because two with different column lists of one table would end it. */
export const FEED_PUBLICATION = "swarmbase_feed";

/** The maximum delay until a change of a publication or of the policies of private channels takes effect. */
const CHECK_EVERY_MS = 2_000;

interface CatalogueWatchOptions {
  readonly pool: pg.Pool;
  readonly commits: Commits;
  readonly observer: Observer;
  readonly random: () => number;
  /** Called when the policies of private channels have changed. */
  onRulesChanged(): void;
}

/** Keeps the publication of the feed the union of the others, and reports changes of the policies of private channels. */
export class CatalogueWatch {
  readonly #options: CatalogueWatchOptions;
  /** Resolves when the feed includes what was published at the time of the call. */
  readonly sync: () => Promise<void>;
  #rules: string | null = null;
  #fault: string | null = null;

  constructor(options: CatalogueWatchOptions) {
    this.#options = options;
    this.sync = shareRuns(() => this.#sync());
  }

  async run(signal: AbortSignal): Promise<void> {
    const { observer, random, commits } = this.#options;
    const step = async (): Promise<number> => {
      await this.sync();
      return Number.POSITIVE_INFINITY;
    };
    const onFailure = (error: unknown): void => observer.note("realtime.catalogue_failed", { error });
    await poll(step, { signal, random, commits, everyMs: CHECK_EVERY_MS, onFailure });
  }

  async #sync(): Promise<void> {
    const { pool, observer, onRulesChanged } = this.#options;
    const { fault, rules } = await syncPublication(pool);
    if (fault !== null && fault !== this.#fault) observer.note("realtime.publication_failed", { reason: fault });
    this.#fault = fault;
    const hasChanged = this.#rules !== null && this.#rules !== rules;
    this.#rules = rules;
    if (hasChanged) onRulesChanged();
  }
}
