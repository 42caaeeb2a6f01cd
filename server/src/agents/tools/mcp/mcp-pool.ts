import { createHash } from "node:crypto";
import type { Client, JsonSchemaValidator, jsonSchemaValidator } from "@modelcontextprotocol/client";
import type { FetchPort } from "../http/run-http-tool.ts";
import { createBoundedFetch } from "./bounded-fetch.ts";
import { silenceClient } from "./silence-client.ts";

/** A server, as one owner speaks to it. */
export interface McpTarget {
  /** Whoever the secrets belong to: connections are not shared between owners. */
  readonly ownerId: string | null;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface McpPoolOptions {
  readonly guarded: FetchPort;
  readonly version: string;
  readonly maxClients: number;
  readonly idleMs: number;
  /** A server declares this many tools in a way that the protocol forbids. */
  onExcluded(count: number): void;
}

export interface McpLoan {
  readonly client: Client;
  /** It was there before this call, so that the server may have forgotten it. */
  readonly isReused: boolean;
  /** Once. A client that failed is not lent again. */
  giveBack(isSound: boolean): void;
}

interface Entry {
  readonly connecting: Promise<Client>;
  borrowers: number;
  isClosing: boolean;
  idle: NodeJS.Timeout | null;
}

const MAX_PAGES = 20;
const CONNECT_TIMEOUT_MS = 30_000;
/** What a tool says about its outputs comes from a stranger, and its patterns could take for ever: nobody checks by it. */
const BELIEVE_ALL: jsonSchemaValidator = {
  getValidator<T>(): JsonSchemaValidator<T> {
    return (value) => ({ valid: true, data: value as T, errorMessage: undefined });
  },
};

/**
 * Connections to MCP servers, one for each owner, address and set of secrets. An entry is connecting or connected; it is
 * lent to any number of calls at once; unused for a while, or the longest unused of too many, or found unsound, it is
 * taken out at once and closed when the last call has given it back.
 */
export class McpPool {
  readonly #options: McpPoolOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #closing = new AbortController();

  constructor(options: McpPoolOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#entries.size;
  }

  async borrow(target: McpTarget, signal: AbortSignal): Promise<McpLoan> {
    if (this.#closing.signal.aborted) throw new Error("the pool of MCP clients is closed");
    const key = keyOf(target);
    const known = this.#entries.get(key);
    const entry = known ?? this.#open(key, target);
    // Written again, so that the first in the map is the longest unused.
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    if (entry.idle !== null) clearTimeout(entry.idle);
    entry.idle = null;
    entry.borrowers += 1;
    this.#makeRoom();
    try {
      const client = await abortable(entry.connecting, signal);
      let isOut = true;
      const giveBack = (isSound: boolean): void => {
        if (isOut) this.#giveBack(key, entry, isSound);
        isOut = false;
      };
      return { client, isReused: known !== undefined, giveBack };
    } catch (error) {
      // Who no longer waits says nothing about the connection.
      this.#giveBack(key, entry, signal.aborted);
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    const entries = [...this.#entries.values()];
    this.#entries.clear();
    await Promise.all(entries.map(closeEntry));
  }

  #open(key: string, target: McpTarget): Entry {
    const entry: Entry = { connecting: this.#connect(target), borrowers: 0, isClosing: false, idle: null };
    entry.connecting.catch(() => this.#drop(key, entry));
    return entry;
  }

  /** For all who wait for it, so that none of them can end it. */
  async #connect({ url, headers }: McpTarget): Promise<Client> {
    const { guarded, version, onExcluded } = this.#options;
    // Most nodes never speak to such a server, and loading it takes a large part of a start.
    const { Client, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
    const transport = new StreamableHTTPClientTransport(new URL(url), {
      fetch: createBoundedFetch(guarded),
      requestInit: { headers },
      reconnectionOptions: {
        maxRetries: 0,
        initialReconnectionDelay: 1_000,
        maxReconnectionDelay: 1_000,
        reconnectionDelayGrowFactor: 1,
      },
    });
    const client = new Client(
      { name: "swarmbase", version },
      { versionNegotiation: { mode: "auto" }, jsonSchemaValidator: BELIEVE_ALL, listMaxPages: MAX_PAGES },
    );
    // What is wrong is told by the call that fails.
    client.onerror = () => {};
    silenceClient(client, onExcluded);
    try {
      const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(CONNECT_TIMEOUT_MS)]);
      await client.connect(transport, { signal });
      return client;
    } catch (error) {
      await client.close().catch(() => {});
      throw error;
    }
  }

  #giveBack(key: string, entry: Entry, isSound: boolean): void {
    entry.borrowers -= 1;
    if (!isSound) this.#drop(key, entry);
    if (entry.borrowers > 0) return;
    if (entry.isClosing) return void closeEntry(entry);
    entry.idle = setTimeout(() => {
      this.#drop(key, entry);
      void closeEntry(entry);
    }, this.#options.idleMs).unref();
  }

  #drop(key: string, entry: Entry): void {
    entry.isClosing = true;
    if (this.#entries.get(key) === entry) this.#entries.delete(key);
  }

  #makeRoom(): void {
    for (const [key, entry] of this.#entries) {
      if (this.#entries.size <= this.#options.maxClients) return;
      this.#drop(key, entry);
      if (entry.borrowers === 0) void closeEntry(entry);
    }
  }
}

async function closeEntry(entry: Entry): Promise<void> {
  if (entry.idle !== null) clearTimeout(entry.idle);
  const client = await entry.connecting.catch(() => null);
  await client?.close().catch(() => {});
}

/** The connection may be another call's too, which goes on waiting for it. */
async function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

function keyOf({ ownerId, url, headers }: McpTarget): string {
  const sorted = Object.entries(headers).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return createHash("sha256")
    .update(JSON.stringify([ownerId, url, sorted]))
    .digest("base64");
}
