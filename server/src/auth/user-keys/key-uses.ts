import { LRUCache } from "lru-cache";
import type { Observer } from "../../observe/index.ts";
import type { Clock } from "../../time/index.ts";
import type { Queryable } from "../../db/index.ts";
import { markKeysUsed } from "../sql/user-keys.ts";

/** `last_used_at` is at most this much too old. A key in constant use costs each node one write per interval. */
const INTERVAL_MS = 60_000;
const FLUSH_MS = 1_000;
const MAX_REMEMBERED = 10_000;

/** Records when keys were last used, in batches. What is lost when a node dies is recorded by the next use. */
export class KeyUses {
  readonly #db: Queryable;
  readonly #observer: Observer;
  readonly #clock: Clock;
  readonly #notedAtMs = new LRUCache<string, number>({ max: MAX_REMEMBERED });
  #pending = new Map<string, Date>();
  #timer: NodeJS.Timeout | null = null;

  constructor({ pool, observer, clock }: { pool: Queryable; observer: Observer; clock: Clock }) {
    this.#db = pool;
    this.#observer = observer;
    this.#clock = clock;
  }

  note(id: string): void {
    const now = this.#clock.now();
    const notedAtMs = this.#notedAtMs.get(id);
    if (notedAtMs !== undefined && now.getTime() - notedAtMs < INTERVAL_MS) return;
    this.#notedAtMs.set(id, now.getTime());
    if (this.#pending.size < MAX_REMEMBERED) this.#pending.set(id, now);
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MS).unref();
  }

  /** Writes what is pending. Never rejects. */
  async flush(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#pending.size === 0) return;
    const batch = this.#pending;
    this.#pending = new Map();
    try {
      await markKeysUsed(this.#db, batch);
    } catch (error) {
      this.#observer.note("api_key.use_failed", { error });
      for (const id of batch.keys()) this.#notedAtMs.delete(id);
    }
  }
}
