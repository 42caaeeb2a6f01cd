import { hash } from "node:crypto";
import type { Client, JsonSchemaValidator, jsonSchemaValidator, Transport } from "@modelcontextprotocol/client";
import { abortable } from "../../abortable.ts";
import type { FetchPort } from "../http/run-http-tool.ts";
import { createBoundedFetch } from "./bounded-fetch.ts";
import { ToolFailure } from "../tool-failure.ts";
import type { ServerPrograms } from "./server-programs.ts";
import { silenceClient } from "./silence-client.ts";

/** A server and the credentials of one owner. */
interface RemoteTarget {
  /** The owner of the secrets. Owners do not share connections. */
  readonly ownerId: string | null;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A program of the operator, by name. It gets no secrets, so owners share it. */
interface ProgramTarget {
  readonly ownerId: string | null;
  readonly server: string;
}

export type McpTarget = RemoteTarget | ProgramTarget;

export interface McpPoolOptions {
  readonly guarded: FetchPort;
  readonly version: string;
  readonly maxClients: number;
  readonly idleMs: number;
  /** Programs of the operator. */
  readonly programs: ServerPrograms;
  /** Called with the number of tools that were excluded because their declaration violates the protocol. */
  onExcluded(count: number): void;
}

export interface McpLoan {
  readonly client: Client;
  /** The connection is older than this call, so the server may have dropped its session. */
  readonly isReused: boolean;
  /** Must be called once. A client that is not reusable is closed. */
  release(isReusable: boolean): void;
}

interface Entry {
  readonly connecting: Promise<Client>;
  readonly idleMs: number;
  borrowers: number;
  isClosing: boolean;
  idle: NodeJS.Timeout | null;
}

const MAX_PAGES = 20;
const CONNECT_TIMEOUT_MS = 30_000;
/** The start of a program can take long. */
const START_TIMEOUT_MS = 60_000;
/** A program may keep a state, and its start takes time. */
const PROGRAM_IDLE_MS = 600_000;
/** Skips output schemas: they come from the server, and their patterns can take unbounded time. */
const ACCEPT_ALL: jsonSchemaValidator = {
  getValidator<T>(): JsonSchemaValidator<T> {
    return (value) => ({ valid: true, data: value as T, errorMessage: undefined });
  },
};

/**
 * Connections to MCP servers, one for each owner, address and set of secrets. Concurrent calls share a connection. The pool
 * removes a connection that is idle, least recently used when the pool is full, or not reusable, and closes it when the last
 * call has released it.
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

  /** Throws an error for the caller when tools of this owner cannot use the program. */
  requireServer(name: string, ownerId: string | null): void {
    this.#options.programs.require(name, ownerId);
  }

  async borrow(target: McpTarget, signal: AbortSignal): Promise<McpLoan> {
    if (this.#closing.signal.aborted) throw new Error("the pool of MCP clients is closed");
    if ("server" in target) requireUsable(this.#options.programs, target);
    const key = keyOf(target);
    const known = this.#entries.get(key);
    const entry = known ?? this.#open(key, target);
    // Inserted again, so that the first entry of the map is the least recently used.
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    if (entry.idle !== null) clearTimeout(entry.idle);
    entry.idle = null;
    entry.borrowers += 1;
    this.#evictExcess();
    try {
      const client = await abortable(entry.connecting, signal);
      let isReleased = false;
      const release = (isReusable: boolean): void => {
        if (!isReleased) this.#release(key, entry, isReusable);
        isReleased = true;
      };
      return { client, isReused: known !== undefined, release };
    } catch (error) {
      // An aborted wait does not mean that the connection is broken.
      this.#release(key, entry, signal.aborted);
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
    const isProgram = "server" in target;
    const connecting = isProgram ? this.#start(target, () => onEnd()) : this.#connect(target);
    const idleMs = isProgram ? PROGRAM_IDLE_MS : this.#options.idleMs;
    const entry: Entry = { connecting, idleMs, borrowers: 0, isClosing: false, idle: null };
    const onEnd = (): void => this.#drop(key, entry);
    connecting.catch(onEnd);
    return entry;
  }

  /** Starts a program and calls `onEnd` when it ends. */
  async #start({ ownerId, server: name }: ProgramTarget, onEnd: () => void): Promise<Client> {
    const { programs } = this.#options;
    const server = programs.require(name, ownerId);
    const transport = await programs.createTransport(server);
    const startedAtMs = performance.now();
    const client = await this.#createClient("legacy");
    try {
      await this.#connectClient(client, transport, START_TIMEOUT_MS);
    } catch (cause) {
      if (!this.#closing.signal.aborted) programs.noteEnd(server, 0);
      throw new ToolFailure("TOOL_UNREACHABLE", `The MCP server ${name} could not be started.`, { cause });
    }
    let isClosedByUs = false;
    const close = client.close.bind(client);
    client.close = () => {
      isClosedByUs = true;
      return close();
    };
    client.onclose = () => {
      if (!isClosedByUs) programs.noteEnd(server, performance.now() - startedAtMs);
      onEnd();
    };
    return client;
  }

  /** Takes no signal of a caller, because several calls wait for the same connection. */
  async #connect({ url, headers }: RemoteTarget): Promise<Client> {
    const { guarded } = this.#options;
    // Imported on demand: it would take a large part of the start-up time, and most nodes never need it.
    const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
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
    const client = await this.#createClient("auto");
    await this.#connectClient(client, transport, CONNECT_TIMEOUT_MS);
    return client;
  }

  /** `legacy` for programs: to find their revision, the package would start each of them twice, and all of them speak the older one. */
  async #createClient(mode: "auto" | "legacy"): Promise<Client> {
    const { version, onExcluded } = this.#options;
    const { Client } = await import("@modelcontextprotocol/client");
    const client = new Client(
      { name: "swarmbase", version },
      { versionNegotiation: { mode }, jsonSchemaValidator: ACCEPT_ALL, listMaxPages: MAX_PAGES },
    );
    // The call that fails reports the error.
    client.onerror = () => {};
    silenceClient(client, onExcluded);
    return client;
  }

  async #connectClient(client: Client, transport: Transport, timeoutMs: number): Promise<void> {
    try {
      const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(timeoutMs)]);
      await client.connect(transport, { signal, timeout: timeoutMs });
    } catch (error) {
      await client.close().catch(() => {});
      throw error;
    }
  }

  #release(key: string, entry: Entry, isReusable: boolean): void {
    entry.borrowers -= 1;
    if (!isReusable) this.#drop(key, entry);
    if (entry.borrowers > 0) return;
    if (entry.isClosing) return void closeEntry(entry);
    entry.idle = setTimeout(() => {
      this.#drop(key, entry);
      void closeEntry(entry);
    }, entry.idleMs).unref();
  }

  #drop(key: string, entry: Entry): void {
    entry.isClosing = true;
    if (this.#entries.get(key) === entry) this.#entries.delete(key);
  }

  #evictExcess(): void {
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

/** As the error of a call. */
function requireUsable(programs: ServerPrograms, { server, ownerId }: ProgramTarget): void {
  try {
    programs.require(server, ownerId);
  } catch (error) {
    throw new ToolFailure("TOOL_UNUSABLE", `${(error as Error).message}.`, { cause: error });
  }
}

function keyOf(target: McpTarget): string {
  if ("server" in target) return `program ${target.server}`;
  const { ownerId, url, headers } = target;
  const sorted = Object.entries(headers).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return hash("sha256", JSON.stringify([ownerId, url, sorted]), "base64");
}
