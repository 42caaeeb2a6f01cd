import { EVENT_TYPES } from "@swarmbase/sdk";
import type { Account, Feed, FeedChange, ServiceClient } from "./service-client.ts";

export interface FeedOptions {
  /** Null: a feed of this run alone. */
  readonly feedName: string | null;
  /** Null: all, or those of the existing feed. */
  readonly events: readonly string[] | null;
  readonly filter: object | null;
  readonly receivesAppEvents: boolean;
}

export interface OpenedFeed extends Feed {
  /** Whether it existed: the run continues after what an earlier one has committed. */
  readonly isContinued: boolean;
}

const OWN_PREFIX = "swarmbase listen, process ";

/** The feed with the given name; without one that of an earlier run that was killed, or a new one. */
export async function openFeed(options: FeedOptions, service: ServiceClient, { id }: Account): Promise<OpenedFeed> {
  const { feedName, events, filter, receivesAppEvents } = options;
  const known = feedName === null ? await findAbandoned(service, id) : await findNamed(service, id, feedName);
  const whole: FeedChange = {
    name: feedName ?? `${OWN_PREFIX}${process.pid}`,
    events: events ?? [...EVENT_TYPES, ...(await service.findAppTypes())],
    filter: filter ?? {},
    receives_app_events: receivesAppEvents,
  };
  const given: FeedChange = {
    name: whole.name,
    ...(events !== null && { events }),
    ...(filter !== null && { filter }),
    ...(receivesAppEvents && { receives_app_events: true }),
  };
  // What a killed run has chosen does not apply to this one.
  const changed = known === null ? null : await service.changeFeed(known, feedName === null ? whole : given);
  if (changed !== null) return { ...changed, isContinued: true };
  return { ...(await service.addFeed(id, whole)), isContinued: false };
}

async function findNamed(service: ServiceClient, userId: string, name: string): Promise<Feed | null> {
  const [feed = null, another] = await service.findFeeds(userId, `eq.${name}`);
  if (another !== undefined) throw new Error(`There are several feeds with the name ${name}.`);
  return feed;
}

/** Keeps the first feed whose process has ended without removing it, and removes the others. */
async function findAbandoned(service: ServiceClient, userId: string): Promise<Feed | null> {
  const feeds = await service.findFeeds(userId, `like.${OWN_PREFIX}*`);
  const [feed = null, ...others] = feeds.filter(({ name }) => !isRunning(Number(name.slice(OWN_PREFIX.length))));
  for (const other of others) await service.removeFeed(other);
  return feed;
}

/** Another process: one with the id of this one had it before. */
function isRunning(id: number): boolean {
  if (!Number.isSafeInteger(id) || id <= 0 || id === process.pid) return false;
  try {
    return process.kill(id, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
