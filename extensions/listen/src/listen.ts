import { setTimeout as sleep } from "node:timers/promises";
import { EVENT_TYPES } from "@swarmbase/sdk";
import { type FeedEvent, forwardEvent, type ForwardTools } from "./forward-event.ts";
import { messageOf } from "./message-of.ts";
import { type Account, CallError, type Feed, type FeedChange, type ServiceClient } from "./service-client.ts";

const OWN_PREFIX = "swarmbase listen, process ";

export interface ListenOptions extends FeedOptions {
  /** E-mail address or id. */
  readonly user: string | null;
  readonly showsBodies: boolean;
}

interface ListenTools {
  readonly service: ServiceClient;
  /** Null means that events are only shown. */
  readonly forward: Omit<ForwardTools, "secret" | "signal"> | null;
  /** Makes the secret of an account. */
  makeSecret(account: Account): string;
  readonly stdout: NodeJS.WritableStream;
  now(): Date;
  readonly signal: AbortSignal;
}

const MAX_PAUSE_MS = 10_000;
const TOO_MANY = 429;

/** Follows the feed until the signal aborts. */
export async function listen(options: ListenOptions, tools: ListenTools): Promise<void> {
  const { service, stdout } = tools;
  const account = await getAccount(service, options.user);
  const feed = await openFeed(options, service, account);
  const secret = tools.makeSecret(account);
  try {
    stdout.write(renderStart(account, feed, secret, tools));
    await follow(feed, tools, (event) => showEvent(event, secret, options, tools));
  } finally {
    if (options.feedName === null) await removeOwn(service, feed);
  }
  stdout.write(options.feedName === null ? "The feed was removed.\n" : `The feed "${feed.name}" is kept.\n`);
}

async function getAccount(service: ServiceClient, named: string | null): Promise<Account> {
  const [account, another] = await service.findAccounts(named);
  if (account === undefined) {
    throw new Error(
      named === null ? "There is no account yet, so there are no events." : `There is no account ${named}.`,
    );
  }
  if (another !== undefined) throw new Error("There are several accounts: name one with --user.");
  return account;
}

async function removeOwn(service: ServiceClient, feed: OpenedFeed): Promise<void> {
  try {
    await service.removeFeed(feed);
  } catch (error) {
    throw new Error(`The feed ${feed.id} remains until the next "swarmbase listen": ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** Reads one event after the other. Commits each, so that another run continues behind it. */
async function follow(
  feed: OpenedFeed,
  { service, stdout, signal }: ListenTools,
  show: (event: FeedEvent) => Promise<void>,
): Promise<void> {
  let after: string | null = null;
  let failures = 0;
  while (!signal.aborted) {
    try {
      const { event, cursor, lost } = await service.readFeed(feed, { after, waits: failures === 0, signal });
      if (failures > 0) stdout.write("The service answers again.\n");
      failures = 0;
      if (lost > 0) stdout.write(`${lost} events were deleted by their age before they were read.\n`);
      if (event !== null) await show(readEvent(event));
      after = cursor;
      if (event !== null) await service.commitFeed(feed, cursor);
    } catch (error) {
      if (signal.aborted) return;
      if (!isTemporary(error)) throw error;
      if (failures === 0) stdout.write(`${messageOf(error)} Trying again.\n`);
      await sleep(Math.min(1_000 * 2 ** failures, MAX_PAUSE_MS), undefined, { signal }).catch(() => {});
      failures += 1;
    }
  }
}

function readEvent(body: string): FeedEvent {
  const { id, type } = JSON.parse(body) as Pick<FeedEvent, "id" | "type">;
  return { id, type, body };
}

function isTemporary(error: unknown): boolean {
  return error instanceof CallError && (error.status === null || error.status === TOO_MANY || error.status >= 500);
}

async function showEvent(
  event: FeedEvent,
  secret: string,
  { showsBodies }: ListenOptions,
  { forward, stdout, now, signal }: ListenTools,
): Promise<void> {
  const report = (outcome: string): void => {
    stdout.write(`${now().toISOString().slice(11, 23)}  ${event.type}  ${event.id}  ${outcome}\n`);
  };
  if (forward === null) report("received");
  else await forwardEvent(event, { ...forward, secret, signal }, report);
  if (showsBodies) stdout.write(`${event.body}\n`);
}

function renderStart({ id, email }: Account, feed: OpenedFeed, secret: string, { forward }: ListenTools): string {
  return [
    `Listening to the events of ${email ?? id}: ${feed.events.join(", ")}`,
    ...(feed.isContinued ? ["Continues after the last event of an earlier run."] : []),
    ...(forward === null ? [] : [`Secret:  ${secret}`, `Forward: ${forward.url.href}`]),
    "Ctrl-C ends it.",
    "",
    "",
  ].join("\n");
}

interface FeedOptions {
  /** Null means a feed of this run alone. */
  readonly feedName: string | null;
  /** Null means all types, or those of the existing feed. */
  readonly events: readonly string[] | null;
  readonly filter: object | null;
  readonly receivesAppEvents: boolean;
}

interface OpenedFeed extends Feed {
  /** Whether it existed: the run continues after what an earlier one has committed. */
  readonly isContinued: boolean;
}

/** The feed with the given name; without one that of an earlier run that was killed, or a new one. */
async function openFeed(options: FeedOptions, service: ServiceClient, { id }: Account): Promise<OpenedFeed> {
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
