import type pg from "pg";
import type { FollowedTopics } from "../realtime-options.ts";
import { selectTransactionBounds, writeFollowedTopics } from "./sql/followed-topics.ts";

const LEASE_SECONDS = 60;

export function createFollowedTopics(pool: pg.Pool): FollowedTopics {
  return {
    write: (node, topics) => writeFollowedTopics(pool, node, topics, LEASE_SECONDS),
    findTransactionBounds: () => selectTransactionBounds(pool),
  };
}
