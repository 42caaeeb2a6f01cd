import type pg from "pg";
import { translateUnavailable } from "../../db/index.ts";
import type { FeedMessage } from "./row-change.ts";
import { insertMessages } from "./sql/insert-messages.ts";

const MAX_BATCH_BYTES = 1024 * 1024;
const MAX_BATCH_MESSAGES = 500;

interface Waiting extends FeedMessage {
  readonly done: PromiseWithResolvers<void>;
}

/** Writes messages into the WAL. Those that come while others are on their way go together, in one commit. */
export class Emitter {
  readonly #pool: pg.Pool;
  #waiting: Waiting[] = [];
  #isBusy = false;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  emit(prefix: string, content: Buffer): Promise<void> {
    const done = Promise.withResolvers<void>();
    this.#waiting.push({ prefix, content, done });
    if (!this.#isBusy) void this.#work();
    return done.promise;
  }

  async #work(): Promise<void> {
    this.#isBusy = true;
    while (this.#waiting.length > 0) {
      const batch = this.#take();
      await insertMessages(this.#pool, batch).then(
        () => batch.forEach(({ done }) => done.resolve()),
        (error: unknown) => batch.forEach(({ done }) => done.reject(translateUnavailable(error))),
      );
    }
    this.#isBusy = false;
  }

  #take(): Waiting[] {
    let bytes = 0;
    let count = 0;
    for (const { content } of this.#waiting) {
      bytes += content.length;
      if (count > 0 && (bytes > MAX_BATCH_BYTES || count === MAX_BATCH_MESSAGES)) break;
      count += 1;
    }
    return this.#waiting.splice(0, count);
  }
}
