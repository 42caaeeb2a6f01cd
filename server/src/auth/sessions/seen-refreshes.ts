import { isUuid } from "@swarmbase/sdk";
import { LRUCache } from "lru-cache";
import type { Observer } from "../../observe/index.ts";
import type { Queryable } from "../../db/index.ts";
import { markRefreshesSeen } from "../sql/sessions.ts";

const FLUSH_MS = 1_000;
const MAX_REMEMBERED = 10_000;
/** A batch that cannot be written is tried again; beyond this, the oldest are dropped. */
const MAX_PENDING = 10_000;
const BATCH_SIZE = 500;

/**
 * Records which refreshes have reached their client: those whose access token is presented. Writes in batches, and one
 * row for each session and refresh. A write that is lost errs on the side of the client: the previous refresh token
 * stays valid until another node, or this one after a restart, gets the access token.
 */
export class SeenRefreshes {
  readonly #db: Queryable;
  readonly #observer: Observer;
  /** The counter that was last noted for each session. */
  readonly #noted = new LRUCache<string, number>({ max: MAX_REMEMBERED });
  readonly #pending = new Map<string, number>();
  #timer: NodeJS.Timeout | null = null;

  constructor(db: Queryable, observer: Observer) {
    this.#db = db;
    this.#observer = observer;
  }

  /** Takes the claims of a verified access token. */
  note({ session_id: sessionId, refresh_counter: counter }: Readonly<Record<string, unknown>>): void {
    // The tokens of a sign-in have no predecessor.
    if (!isUuid(sessionId) || typeof counter !== "number" || !Number.isSafeInteger(counter) || counter < 1) return;
    if ((this.#noted.get(sessionId) ?? 0) >= counter) return;
    this.#noted.set(sessionId, counter);
    this.#add(sessionId, counter);
  }

  /** Writes what is pending. Never rejects. */
  async flush(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    while (this.#pending.size > 0) {
      const batch = [...this.#pending].slice(0, BATCH_SIZE);
      for (const [sessionId] of batch) this.#pending.delete(sessionId);
      try {
        const locked = new Set(await markRefreshesSeen(this.#db, batch));
        for (const [sessionId, counter] of batch) if (locked.has(sessionId)) this.#add(sessionId, counter);
        if (locked.size > 0) return;
      } catch (error) {
        this.#observer.note("session.seen_failed", { error });
        for (const [sessionId, counter] of batch) this.#add(sessionId, counter);
        return;
      }
    }
  }

  #add(sessionId: string, counter: number): void {
    if ((this.#pending.get(sessionId) ?? 0) >= counter) return;
    this.#pending.set(sessionId, counter);
    const [oldest] = this.#pending.keys();
    if (this.#pending.size > MAX_PENDING && oldest !== undefined) this.#pending.delete(oldest);
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MS).unref();
  }
}
