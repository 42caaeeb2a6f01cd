import { setTimeout as sleep } from "node:timers/promises";
import { isUnavailable } from "@swarmbase/postgres";
import type { Observer } from "../observe/index.ts";
import { messageOf } from "./embedded/embedded-error.ts";
import { DatabaseClient } from "./hosts/database-client.ts";

const RETRY_DELAY_MS = 1_000;
const CONNECT_TIMEOUT_MS = 5_000;

export interface WaitForDatabaseOptions {
  readonly url: string;
  /** The setting that the connection string came from, for messages. */
  readonly settingName: string;
  readonly timeoutMs: number;
  readonly observer: Observer;
  readonly signal: AbortSignal;
}

/** Resolves when the server accepts the login. Waits for an unreachable server, not for one that rejects the login. */
export async function waitForDatabase(options: WaitForDatabaseOptions): Promise<void> {
  const { url, settingName, timeoutMs, observer, signal } = options;
  const startedAtMs = performance.now();
  for (;;) {
    signal.throwIfAborted();
    const error = await tryToConnect(url);
    if (error === null) return;
    const waitedMs = Math.round(performance.now() - startedAtMs);
    if (!isUnavailable(error)) {
      throw new Error(`The database of ${settingName} rejects the connection: ${error.message}`, { cause: error });
    }
    if (waitedMs + RETRY_DELAY_MS > timeoutMs) {
      throw new Error(
        `The database of ${settingName} could not be reached for ${Math.round(waitedMs / 1000)} s: ${describe(error)}`,
        { cause: error },
      );
    }
    observer.note("database.waiting", { setting: settingName, reason: describe(error), waitedMs, timeoutMs });
    await sleep(RETRY_DELAY_MS, undefined, { signal });
  }
}

async function tryToConnect(url: string): Promise<Error | null> {
  const client = new DatabaseClient({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  client.on("error", () => {});
  try {
    await client.connect();
    await client.query("select 1");
    return null;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  } finally {
    await client.end().catch(() => {});
  }
}

function describe(error: Error): string {
  // For a host name with several addresses the error has an empty message and one error per address.
  return error instanceof AggregateError ? error.errors.map(messageOf).join("; ") : error.message;
}
