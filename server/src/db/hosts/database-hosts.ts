import { setTimeout as sleep } from "node:timers/promises";
import { isUnavailable, READ_ONLY_STATE } from "@swarmbase/postgres";
import pg from "pg";
import { parseDatabaseHosts } from "../../config/index.ts";
import { SharedPrimary } from "./shared-primary.ts";

/** Shorter than the time that a request waits for a connection, so that one server that is gone does not use it up. */
const ASK_TIMEOUT_MS = 3_000;
/** How long an answer of a server that is preferred is waited for when another one has accepted writes. */
const GRACE_MS = 500;
const FIRST_PAUSE_MS = 50;
const LAST_PAUSE_MS = 1_000;

interface FailedSearch {
  readonly error: Error;
  readonly pauseMs: number;
  /** Until then everybody gets the error without another search. */
  readonly untilMs: number;
}

interface ServerAddress {
  readonly host: string;
  readonly port: number;
}

/** The server accepts connections and no writes. The code is that of PostgreSQL, which callers already know. */
class ReadOnlyServerError extends Error {
  override readonly name = "ReadOnlyServerError";
  readonly code = READ_ONLY_STATE;
}

const known = new Map<string, DatabaseHosts>();
const primaries = new Map<string, SharedPrimary>();

/** The list of a connection string, shared by all connections with it; null when it names one server, whatever its state. */
export function findDatabaseHosts(url: string | undefined): DatabaseHosts | null {
  if (url === undefined) return null;
  const found = known.get(url);
  if (found !== undefined) return found;
  const parsed = parseDatabaseHosts(url);
  if (parsed === null || !parsed.mustAcceptWrites) return null;
  const hosts = new DatabaseHosts(parsed.urls);
  known.set(url, hosts);
  return hosts;
}

/**
 * Finds the server that accepts writes. Every connection string has its own search, with its own login; what is found counts for
 * all connection strings with the same servers.
 */
export class DatabaseHosts {
  readonly urls: readonly string[];
  readonly addresses: readonly ServerAddress[];
  readonly primary: SharedPrimary;
  #search: Promise<number> | null = null;
  #failed: FailedSearch | null = null;

  constructor(urls: readonly string[]) {
    this.urls = urls;
    this.addresses = urls.map((connectionString) => {
      const { host, port } = new pg.Client({ connectionString });
      return { host, port };
    });
    const key = JSON.stringify(this.addresses);
    this.primary = primaries.get(key) ?? new SharedPrimary();
    primaries.set(key, this.primary);
  }

  /** The place of the server to connect to. */
  async find(): Promise<number> {
    const { trusted } = this.primary;
    if (trusted !== null) return trusted;
    if (this.#failed !== null && performance.now() < this.#failed.untilMs) throw this.#failed.error;
    this.#search ??= this.#ask().finally(() => {
      this.#search = null;
    });
    return this.#search;
  }

  describe(place: number): string {
    const { host = "", port = 0 } = this.addresses[place] ?? {};
    return `${host}:${port}`;
  }

  /**
   * Asks all servers at once, and takes the last primary if it still is one, else the first one of the list. A machine that is gone
   * does not answer at all, so others are not kept waiting for it.
   */
  async #ask(): Promise<number> {
    const { last } = this.primary;
    const places = [...this.urls.keys()].toSorted((one, other) => Number(other === last) - Number(one === last));
    const answers = places.map((place) => findFault(this.urls[place] ?? ""));
    const found = await Promise.race([findFirst(answers), findSoonest(answers)]);
    const place = places[found];
    if (place !== undefined) {
      this.#failed = null;
      this.primary.trust(place);
      return place;
    }
    const faults = (await Promise.all(answers)).filter((fault) => fault !== null);
    const error = this.#summarise(faults, places);
    const pauseMs = Math.min(this.#failed === null ? FIRST_PAUSE_MS : this.#failed.pauseMs * 2, LAST_PAUSE_MS);
    this.#failed = { error, pauseMs, untilMs: performance.now() + pauseMs * (0.5 + Math.random()) };
    throw error;
  }

  /** A login that is rejected needs an operator, so it is not hidden behind a server that is only away. */
  #summarise(faults: readonly Error[], places: readonly number[]): Error {
    const [first, ...others] = faults;
    const rejected = faults.find((fault) => !isUnavailable(fault));
    if (rejected !== undefined) return rejected;
    if (first !== undefined && (others.length === 0 || faults.every(isReadOnly))) return first;
    const texts = faults.map((fault, index) => `${this.describe(places[index] ?? 0)}: ${textOf(fault)}`);
    return new AggregateError(faults, `No server accepts writes (${texts.join("; ")})`);
  }
}

/** The index of the first server in order that accepts writes; -1 when none does. */
async function findFirst(answers: readonly Promise<Error | null>[]): Promise<number> {
  for (const [index, answer] of answers.entries()) if ((await answer) === null) return index;
  return -1;
}

/** The index of the server that has answered first that it accepts writes, some time later. Never resolves when none does. */
async function findSoonest(answers: readonly Promise<Error | null>[]): Promise<number> {
  const soonest = new Promise<number>((resolve) => {
    for (const [index, answer] of answers.entries())
      void answer.then((fault) => {
        if (fault === null) resolve(index);
      });
  });
  const index = await soonest;
  await sleep(GRACE_MS, undefined, { ref: false });
  return index;
}

/** Never rejects. */
async function findFault(url: string): Promise<Error | null> {
  const client = new pg.Client({
    connectionString: url,
    application_name: "swarmbase-find-primary",
    connectionTimeoutMillis: ASK_TIMEOUT_MS,
    query_timeout: ASK_TIMEOUT_MS,
  });
  client.on("error", () => {});
  try {
    await client.connect();
    await requireWrites(client);
    return null;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  } finally {
    void client.end().catch(() => {});
  }
}

/** A statement, and not the settings that the server reports at the start: poolers do not pass all of them on. */
export async function requireWrites(client: Pick<pg.Client, "query">): Promise<void> {
  const { rows } = await client.query<{ transaction_read_only: string }>("show transaction_read_only");
  if (rows[0]?.transaction_read_only !== "off") throw new ReadOnlyServerError("the server accepts no writes");
}

function isReadOnly(error: Error): boolean {
  return error instanceof ReadOnlyServerError;
}

function textOf(error: Error): string {
  // The error for a name with several addresses has no message of its own.
  if (error instanceof AggregateError && error.message === "") return error.errors.map(String).join(", ");
  return error.message;
}
