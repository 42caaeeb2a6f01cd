import type { Principal } from "../../db/index.ts";
import { RawJson } from "../../json/index.ts";
import { type CallerPorts, runAsCaller, translateCallError } from "../run-as-caller.ts";
import { COMMIT_EVENT_FEED, READ_EVENT_FEED } from "../sql/feeds.ts";
import type { FeedWaits } from "./feed-waits.ts";

/** Of the events of a response. A single larger event is returned alone. */
const MAX_BYTES = 4 * 1_048_576;
const NO_EVENTS = "[]";

export interface FeedPorts extends CallerPorts {
  readonly waits: Pick<FeedWaits, "wait">;
  /** Counts a waiting reader of the user, and returns the function that releases it. Throws when the user has too many. */
  reserveStream(principal: Principal): () => void;
}

export interface ReadFeedCall {
  readonly principal: Principal;
  readonly feedId: string;
  /** Null means that it starts after the cursor of the consumer, and without one at the beginning. */
  readonly after: string | null;
  readonly consumer: string | null;
  readonly limit: number;
  readonly waitSeconds: number;
  /** Aborted when the reader disconnects. */
  readonly signal: AbortSignal;
}

/** The body of the response. */
export interface FeedPage {
  /** The envelopes, with the bytes of a delivery. */
  readonly events: RawJson;
  readonly cursor: string;
  /** Events after the given cursor that retention has deleted. */
  readonly lost: number;
}

/** Reads events of a feed, and waits for some if there are none. The session is checked again after the wait. */
export async function readFeed(ports: FeedPorts, call: ReadFeedCall): Promise<FeedPage> {
  const { principal, feedId, waitSeconds, signal } = call;
  const page = await readPage(ports, call);
  if (waitSeconds === 0 || page.events.text !== NO_EVENTS) return page;
  const release = ports.reserveStream(principal);
  try {
    const position = Number(page.cursor.slice(page.cursor.lastIndexOf("_") + 1));
    await ports.waits.wait(feedId.toLowerCase(), position, waitSeconds * 1_000, signal);
  } finally {
    release();
  }
  return signal.aborted ? page : readPage(ports, { ...call, after: page.cursor });
}

async function readPage(
  ports: FeedPorts,
  { principal, feedId, after, consumer, limit }: ReadFeedCall,
): Promise<FeedPage> {
  const values = [feedId, after, consumer, String(limit), String(MAX_BYTES)];
  const row = await runAsCaller(ports, { principal, isReadOnly: true, text: READ_EVENT_FEED, values }).catch(
    (error: unknown) => {
      throw translateCallError(ports, error, principal);
    },
  );
  const [cursor, lost, events] = row;
  return { events: new RawJson(events ?? NO_EVENTS), cursor: cursor ?? "", lost: Number(lost) };
}

export interface CommitFeedCall extends Pick<ReadFeedCall, "principal" | "feedId"> {
  readonly consumer: string;
  readonly cursor: string;
}

/** Stores how far a consumer of a feed is. */
export async function commitFeed(ports: CallerPorts, call: CommitFeedCall): Promise<void> {
  const { principal, feedId, consumer, cursor } = call;
  const values = [feedId, consumer, cursor];
  await runAsCaller(ports, { principal, isReadOnly: false, text: COMMIT_EVENT_FEED, values }).catch(
    (error: unknown) => {
      throw translateCallError(ports, error, principal);
    },
  );
}
