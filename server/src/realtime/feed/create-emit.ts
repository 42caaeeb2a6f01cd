import { createBatcher } from "@swarmbase/concurrency";
import type pg from "pg";
import { translateUnavailable } from "../../db/index.ts";
import type { Changes } from "../changes.ts";
import type { FeedMessage } from "./row-change.ts";
import { insertMessages } from "./sql/feed-statements.ts";

const MAX_BATCH_BYTES = 1024 * 1024;
const MAX_BATCH_MESSAGES = 500;

/** Writes messages into the WAL. Those that arrive while others are being written go together, in one commit. */
export function createEmit(pool: pg.Pool): Changes["emit"] {
  const insert = createBatcher<FeedMessage, void>({
    maxItems: MAX_BATCH_MESSAGES,
    maxSize: MAX_BATCH_BYTES,
    sizeOf: ({ content }) => content.length,
    run: async (messages) => {
      try {
        await insertMessages(pool, messages);
      } catch (error) {
        throw translateUnavailable(error);
      }
      return messages.map(() => {});
    },
  });
  return (prefix, content) => insert({ prefix, content });
}
