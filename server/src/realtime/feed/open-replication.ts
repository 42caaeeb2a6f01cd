import { randomBytes } from "node:crypto";
import { type Commits, UNWATCHED } from "../../jobs/index.ts";
import { FEED_PUBLICATION } from "./catalogue-watch.ts";
import type { OpenFeedStream } from "./feed-stream.ts";
import { ReplicationStream } from "./replication-stream.ts";

/** A reader with a larger lag restarts at the current end of the WAL. */
export const MAX_LAG_BYTES = 512 * 1024 * 1024;

/** Streams from the server. `url` is a direct connection as the login with the REPLICATION attribute. */
export function openReplication(url: string, commits: Commits = UNWATCHED): OpenFeedStream {
  return (onMessage) =>
    new ReplicationStream({
      url,
      commits,
      slotName: `swarmbase_${randomBytes(8).toString("hex")}`,
      publication: FEED_PUBLICATION,
      onMessage,
    });
}
