import type pg from "pg";
import { createBatcher } from "../../concurrency/index.ts";
import { translateUnavailable } from "../../db/index.ts";
import type { FeedMessage } from "./row-change.ts";
import { insertMessages } from "./sql/insert-messages.ts";

const MAX_BATCH_BYTES = 1024 * 1024;
const MAX_BATCH_MESSAGES = 500;

/** Writes messages into the WAL. Those that arrive while others are being written go together, in one commit. */
export class Emitter {
  readonly #insert: (message: FeedMessage) => Promise<void>;

  constructor(pool: pg.Pool) {
    this.#insert = createBatcher({
      maxItems: MAX_BATCH_MESSAGES,
      maxSize: MAX_BATCH_BYTES,
      sizeOf: ({ content }: FeedMessage) => content.length,
      run: async (messages) => {
        try {
          await insertMessages(pool, messages);
        } catch (error) {
          throw translateUnavailable(error);
        }
        return messages.map(() => {});
      },
    });
  }

  emit(prefix: string, content: Buffer): Promise<void> {
    return this.#insert({ prefix, content });
  }
}
