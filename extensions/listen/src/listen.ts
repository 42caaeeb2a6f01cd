import { setTimeout as sleep } from "node:timers/promises";
import { type FeedEvent, forwardEvent, type ForwardTools } from "./forward-event.ts";
import { messageOf } from "./message-of.ts";
import { type FeedOptions, openFeed, type OpenedFeed } from "./open-feed.ts";
import { type Account, CallError, type ServiceClient } from "./service-client.ts";

export interface ListenOptions extends FeedOptions {
  /** E-mail address or id. */
  readonly user: string | null;
  readonly showsBodies: boolean;
}

export interface ListenTools {
  readonly service: ServiceClient;
  /** Null: events are only shown. */
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
