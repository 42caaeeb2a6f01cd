import net, { type AddressInfo, type Socket } from "node:net";
import { HolderCounts } from "../../../limits/index.ts";
import type { Observer } from "../../../observe/index.ts";
import { createAddressOf } from "../address-of.ts";
import type { ConnectionSettings } from "../connection-settings.ts";
import { ExceededNotes } from "../exceeded-notes.ts";
import { listenOn } from "../../../processes/index.ts";

/** A process that serves connections which this one accepts. */
export interface ConnectionTaker {
  /** Resolves when the other process has the connection, and rejects when it does not get it. */
  pass(socket: Socket): Promise<void>;
  findIdleMs(address: string | null): Promise<number | null>;
  closeIdle(address: string | null): Promise<boolean>;
}

interface AcceptorOptions {
  readonly settings: ConnectionSettings & { readonly host: string; readonly port: number };
  readonly observer: Observer;
}

interface Waiting {
  readonly socket: Socket;
  readonly key: string;
}

/** Connections of trusted proxies belong to many clients. */
const PROXY_KEY = "";

/**
 * Accepts connections and passes each to the process with the fewest. Counts them over all processes; at a limit, the process whose
 * connection is idle for the longest time closes it. No byte is read here, so a connection that a process did not get goes to another one.
 */
export class ConnectionAcceptor {
  readonly #options: AcceptorOptions;
  readonly #addressOf: (remoteAddress: string | undefined) => string | null;
  readonly #notes: ExceededNotes;
  readonly #server: net.Server;
  readonly #connections = new HolderCounts<ConnectionTaker>();
  readonly #requests = new HolderCounts<ConnectionTaker>();
  /** The number of connections of each. */
  readonly #takers = new Map<ConnectionTaker, number>();
  readonly #waiting = new Set<Waiting>();
  /** Accepted and not passed on yet, by address. */
  readonly #arriving = new HolderCounts<ConnectionAcceptor>();

  constructor(options: AcceptorOptions) {
    this.#options = options;
    this.#addressOf = createAddressOf(options.settings.trustedProxies);
    this.#notes = new ExceededNotes(options.observer);
    this.#server = net.createServer({ pauseOnConnect: true, allowHalfOpen: true });
    this.#server.on("connection", (socket) => void this.#accept(socket));
  }

  async listen(): Promise<{ port: number }> {
    const { settings, observer } = this.#options;
    await listenOn(this.#server, settings);
    this.#server.on("error", (error) => observer.note("http.accept_failed", { error }));
    return { port: (this.#server.address() as AddressInfo).port };
  }

  /** The process gets connections from now on. */
  add(taker: ConnectionTaker): void {
    this.#takers.set(taker, 0);
    for (const waiting of this.#waiting) void this.#pass(waiting);
    this.#waiting.clear();
  }

  /** The process gets no further connections; those that it has still count. */
  leave(taker: ConnectionTaker): void {
    this.#takers.delete(taker);
  }

  /** The process has ended, and its connections with it. */
  forget(taker: ConnectionTaker): void {
    this.leave(taker);
    this.#connections.removeAll(taker);
    this.#requests.removeAll(taker);
  }

  release(taker: ConnectionTaker, address: string | null): void {
    this.#connections.remove(taker, address ?? PROXY_KEY);
    const count = this.#takers.get(taker);
    if (count !== undefined) this.#takers.set(taker, count - 1);
  }

  admitRequest(taker: ConnectionTaker, address: string): boolean {
    const { connectionsPerAddress: limit } = this.#options.settings;
    if (limit > 0 && this.#countOf(address) >= limit) return false;
    this.#requests.add(taker, address);
    return true;
  }

  releaseRequest(taker: ConnectionTaker, address: string): void {
    this.#requests.remove(taker, address);
  }

  /** Accepts no further connections. */
  close(): void {
    // The server would report its end only after that of all connections that it passed on.
    this.#server.close();
    for (const { socket } of this.#waiting) socket.destroy();
    this.#waiting.clear();
  }

  async #accept(socket: Socket): Promise<void> {
    socket.on("error", () => socket.destroy());
    const address = this.#addressOf(socket.remoteAddress);
    const waiting = { socket, key: address ?? PROXY_KEY };
    for (let full = this.#findFull(address); full !== null; full = this.#findFull(address)) {
      this.#notes.add(this.#connections.size);
      if (!(await this.#closeLongestIdle(full.address))) return void socket.destroy();
    }
    if (socket.destroyed) return;
    this.#arriving.add(this, waiting.key);
    await this.#pass(waiting);
  }

  /** Which limit a further connection would exceed: that of its address, or that of all when `address` is null. */
  #findFull(address: string | null): { readonly address: string | null } | null {
    const { connectionsPerAddress, connectionsPerNode } = this.#options.settings;
    if (address !== null && connectionsPerAddress > 0 && this.#countOf(address) >= connectionsPerAddress)
      return { address };
    const isFull = connectionsPerNode > 0 && this.#connections.size + this.#arriving.size >= connectionsPerNode;
    return isFull ? { address: null } : null;
  }

  async #pass(waiting: Waiting): Promise<void> {
    const { socket, key } = waiting;
    const taker = this.#findTaker();
    if (taker === null) return void this.#waiting.add(waiting);
    this.#arriving.remove(this, key);
    this.#connections.add(taker, key);
    this.#takers.set(taker, (this.#takers.get(taker) ?? 0) + 1);
    try {
      await taker.pass(socket);
      // Closes this process's copy only.
      socket.destroy();
    } catch {
      this.release(taker, key === PROXY_KEY ? null : key);
      this.#arriving.add(this, key);
      await this.#pass(waiting);
    }
  }

  #findTaker(): ConnectionTaker | null {
    let [found, fewest]: [ConnectionTaker | null, number] = [null, Number.POSITIVE_INFINITY];
    for (const [taker, count] of this.#takers) if (count < fewest) [found, fewest] = [taker, count];
    return found;
  }

  #countOf(address: string): number {
    return this.#connections.countOf(address) + this.#requests.countOf(address) + this.#arriving.countOf(address);
  }

  /** Returns false when no connection is idle. */
  async #closeLongestIdle(address: string | null): Promise<boolean> {
    const idle = await Promise.all(
      Array.from(this.#takers.keys(), async (taker) => ({
        taker,
        idleMs: await taker.findIdleMs(address).catch(() => null),
      })),
    );
    const [longest] = idle
      .flatMap(({ taker, idleMs }) => (idleMs === null ? [] : [{ taker, idleMs }]))
      .sort((a, b) => b.idleMs - a.idleMs);
    if (longest === undefined) return false;
    // False when a request arrived on it meanwhile; the next look finds another one, or none.
    await longest.taker.closeIdle(address).catch(() => false);
    return true;
  }
}
