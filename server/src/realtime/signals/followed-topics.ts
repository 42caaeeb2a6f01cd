import type pg from "pg";
import { selectTransactionBounds, writeFollowedTopics } from "./sql/followed-topics.ts";

/** Where nodes register the topics whose signals the writers have to send. */
export interface FollowedTopics {
  /** Makes these the topics of the node, for the next minute. */
  write(node: string, topics: readonly string[]): Promise<void>;
  /** The oldest transaction that has not ended, and the first that has not begun. */
  findTransactionBounds(): Promise<{ readonly oldest: bigint; readonly next: bigint }>;
}

const LEASE_SECONDS = 60;

export function createFollowedTopics(pool: pg.Pool): FollowedTopics {
  return {
    write: (node, topics) => writeFollowedTopics(pool, node, topics, LEASE_SECONDS),
    findTransactionBounds: () => selectTransactionBounds(pool),
  };
}
