import { isUuid } from "@swarmbase/sdk";
import type { CommandFetch } from "swarmbase/extension";

export interface Account {
  readonly id: string;
  readonly email: string | null;
}

export interface Feed {
  readonly id: string;
  readonly name: string;
  readonly events: readonly string[];
}

/** Members that are missing are not changed. */
export interface FeedChange {
  readonly name: string;
  readonly events?: readonly string[];
  readonly filter?: object;
  readonly receives_app_events?: boolean;
}

interface FeedRead {
  /** Null means that there was no event within the time. */
  readonly event: string | null;
  readonly cursor: string;
  readonly lost: number;
}

interface ServiceClientOptions {
  readonly service: Pick<CommandFetch, "fetch">;
  readonly url: string;
  readonly key: string;
}

/** A call that the service rejected, or did not answer: then the status is null. */
export class CallError extends Error {
  override readonly name = "CallError";
  readonly status: number | null;

  constructor(status: number | null, message: string, cause?: unknown) {
    super(message, { cause });
    this.status = status;
  }
}

const CALL_TIMEOUT_MS = 60_000;
const WAIT_SECONDS = 30;
const CONSUMER = "swarmbase listen";
const FEED_COLUMNS = "select=id,name,events";

/** Calls of the public interface that `listen` needs, as the service role. */
export class ServiceClient {
  readonly #service: Pick<CommandFetch, "fetch">;
  readonly #url: string;
  readonly #key: string;

  constructor({ service, url, key }: ServiceClientOptions) {
    this.#service = service;
    this.#url = url;
    this.#key = key;
  }

  /** Finds up to two accounts with this e-mail address or id, or any when none is named. */
  async findAccounts(named: string | null): Promise<Account[]> {
    if (isUuid(named)) {
      const account = await this.#call("GET", `/auth/v1/admin/users/${named}`).catch(orElse(null));
      return account === null ? [] : [account as Account];
    }
    const filter = named === null ? "" : `&email=${encodeURIComponent(named)}`;
    const { users } = (await this.#call("GET", `/auth/v1/admin/users?per_page=2${filter}`)) as { users: Account[] };
    return users;
  }

  async findAppTypes(): Promise<string[]> {
    const types = (await this.#call("GET", "/rest/v1/event_types?select=name&order=name")) as { name: string }[];
    return types.map(({ name }) => name);
  }

  /** `name` is a filter of REST, such as `eq.billing`. */
  async findFeeds(userId: string, name: string): Promise<Feed[]> {
    const filter = `user_id=eq.${userId}&name=${encodeURIComponent(name)}&order=created_at&${FEED_COLUMNS}`;
    return (await this.#call("GET", `/rest/v1/event_feeds?${filter}`)) as Feed[];
  }

  async addFeed(userId: string, row: FeedChange): Promise<Feed> {
    const rows = await this.#call("POST", `/rest/v1/event_feeds?${FEED_COLUMNS}`, { user_id: userId, ...row });
    const [feed] = rows as Feed[];
    if (feed === undefined) throw new Error("The service created no feed.");
    return feed;
  }

  /** Changes a feed that still has its name. Null means that it has not. */
  async changeFeed({ id, name }: Feed, change: FeedChange): Promise<Feed | null> {
    const filter = `id=eq.${id}&name=eq.${encodeURIComponent(name)}&${FEED_COLUMNS}`;
    return ((await this.#call("PATCH", `/rest/v1/event_feeds?${filter}`, change)) as Feed[])[0] ?? null;
  }

  /** It may have been removed already. */
  async removeFeed({ id }: Pick<Feed, "id">): Promise<void> {
    await this.#send("DELETE", `/rest/v1/event_feeds?id=eq.${id}`).catch(orElse(null));
  }

  /** Reads the next event after the cursor, and without one after what was committed. */
  async readFeed(
    { id }: Pick<Feed, "id">,
    { after, waits, signal }: { readonly after: string | null; readonly waits: boolean; readonly signal: AbortSignal },
  ): Promise<FeedRead> {
    const wait_seconds = waits ? WAIT_SECONDS : 0;
    const body = { action: "read", feed_id: id, consumer: CONSUMER, after, limit: 1, wait_seconds };
    const text = await this.#send("POST", "/functions/v1/events", body, signal);
    const { cursor, lost } = JSON.parse(text) as Pick<FeedRead, "cursor" | "lost">;
    // As it was sent: JSON that is parsed and written again can differ in its numbers and white space, and signatures with it.
    const event = text.slice(text.indexOf("[") + 1, text.lastIndexOf("]"));
    return { event: event === "" ? null : event, cursor, lost };
  }

  async commitFeed({ id }: Pick<Feed, "id">, cursor: string): Promise<void> {
    await this.#send("POST", "/functions/v1/events", { action: "commit", feed_id: id, consumer: CONSUMER, cursor });
  }

  async #call(method: string, path: string, body?: unknown): Promise<unknown> {
    return JSON.parse(await this.#send(method, path, body));
  }

  async #send(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<string> {
    const headers = {
      apikey: this.#key,
      authorization: `Bearer ${this.#key}`,
      prefer: "return=representation",
      ...(body !== undefined && { "content-type": "application/json" }),
    };
    const target = `${this.#url.replace(/\/$/, "")}${path}`;
    const ends = [AbortSignal.timeout(CALL_TIMEOUT_MS), ...(signal === undefined ? [] : [signal])];
    const sent = {
      method,
      headers,
      signal: AbortSignal.any(ends),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    };
    let status: number;
    let text: string;
    try {
      const response = await this.#service.fetch(target, sent);
      status = response.status;
      text = await response.text();
    } catch (error) {
      throw new CallError(null, `The service does not answer at ${this.#url}. Is it running?`, error);
    }
    if (status >= 300) throw new CallError(status, describeRejection(status, text));
    return text;
  }
}

/** The value instead of what does not exist. */
function orElse<T>(value: T): (error: unknown) => T {
  return (error) => {
    if (error instanceof CallError && error.status === 404) return value;
    throw error;
  };
}

/** The message of the service, with what is wrong with each field. */
function describeRejection(status: number, text: string): string {
  try {
    const { message, details } = JSON.parse(text) as { message?: unknown; details?: unknown };
    if (typeof message !== "string") throw new TypeError("no message");
    const fields = typeof details === "object" && details !== null ? Object.entries(details) : [];
    return [message, ...fields.map(([field, fault]) => `${field} ${fault}`)].join("\n");
  } catch {
    return `The service answered ${status}: ${text}`;
  }
}
