import { tableKey } from "../table-key.ts";
import type { FeedStream } from "./feed-stream.ts";

/** Tables whose changes can end the access of any socket. Every process needs them all the time. */
export const ALWAYS_FOLLOWED: ReadonlySet<string> = new Set([
  tableKey("auth", "sessions"),
  tableKey("auth", "users"),
  tableKey("private", "hidden_swarms"),
  tableKey("public", "swarm_members"),
]);

/** Clients that leave and join again should not cause messages. */
const RELEASE_AFTER_MS = 5_000;

export interface FollowedTablesOptions {
  follow: FeedStream["follow"];
  /** The keys of all tables that are needed now. */
  findNeeded(): readonly string[];
  /** How often the feed has become live. Each time it begins without any of the tables. */
  countLives(): number;
  readonly releaseAfterMs?: number;
}

/** Tells the source of the feed which tables this process needs in addition to those that are always followed. */
export class FollowedTables {
  readonly #options: FollowedTablesOptions;
  /** What the source was told last. */
  #told: ReadonlySet<string> = new Set();
  /** The part of it that the source has confirmed. Replaced when it shrinks, so that a late confirmation adds nothing. */
  #confirmed = new Set<string>();
  #lives = 0;
  #isReleaseScheduled = false;

  constructor(options: FollowedTablesOptions) {
    this.#options = options;
  }

  /**
   * Resolves when all later changes of the needed tables will arrive, with the ids of recent transactions whose changes have not
   * arrived and may not be visible to queries yet.
   */
  async add(): Promise<readonly number[]> {
    this.#forgetLost();
    const needed = this.#options.findNeeded();
    const confirmed = this.#confirmed;
    if (needed.every((table) => confirmed.has(table))) return [];
    const tables = new Set([...this.#told, ...needed]);
    this.#told = tables;
    const missed = await this.#options.follow([...tables]);
    for (const table of tables) confirmed.add(table);
    return missed;
  }

  /** Call when a table may no longer be needed. */
  release(): void {
    if (this.#isReleaseScheduled) return;
    this.#isReleaseScheduled = true;
    setTimeout(() => this.#shrink(), this.#options.releaseAfterMs ?? RELEASE_AFTER_MS).unref();
  }

  #shrink(): void {
    this.#isReleaseScheduled = false;
    this.#forgetLost();
    const tables = this.#options.findNeeded().filter((table) => this.#told.has(table));
    if (tables.length === this.#told.size) return;
    const confirmed = tables.filter((table) => this.#confirmed.has(table));
    [this.#told, this.#confirmed] = [new Set(tables), new Set(confirmed)];
    // When this fails, the feed is lost.
    this.#options.follow(tables).catch(() => {});
  }

  /** Compares with the number of lives: what was confirmed while the feed was being connected again does not count either. */
  #forgetLost(): void {
    const lives = this.#options.countLives();
    if (lives === this.#lives) return;
    [this.#lives, this.#told, this.#confirmed] = [lives, new Set(), new Set()];
  }
}
