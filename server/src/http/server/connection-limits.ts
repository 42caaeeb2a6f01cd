import type { EventEmitter } from "node:events";
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { AppError } from "../../errors/index.ts";
import { addressKey } from "../../limits/index.ts";
import type { Observer } from "../../observe/index.ts";
import { buildProxyTrust, type ProxyTrust } from "../request/proxy-trust.ts";
import { createAddressOf } from "./address-of.ts";
import type { ConnectionSettings } from "./connection-settings.ts";
import { ExceededNotes } from "./exceeded-notes.ts";
import type { ConnectionSource, IdleConnections } from "./handover/connection-source.ts";

/** A TCP connection. */
interface Connection {
  readonly socket: Socket;
  /** Null for a trusted proxy, whose connections belong to many clients. */
  readonly address: string | null;
  idleSinceMs: number;
}

/** What one address holds. Behind a trusted proxy these are requests, because a client has no connection of its own there. */
interface Holding {
  count: number;
  /** Longest idle first. */
  readonly idle: Set<Connection>;
}

const RETRY_AFTER_SECONDS = 5;

/**
 * Limits open connections, in total and per address. A connection is idle while no request on it is in progress: before its TLS
 * handshake, between two requests, and while the headers of a request arrive. At a limit, the connection that is idle for the
 * longest time is closed for a new one; when none is idle, the new one is closed. With a source, which counts over all processes,
 * connections have been admitted already.
 */
export class ConnectionLimits implements IdleConnections {
  readonly #settings: ConnectionSettings;
  readonly #notes: ExceededNotes;
  readonly #source: ConnectionSource | null;
  readonly #addressOf: (remoteAddress: string | undefined) => string | null;
  readonly #trust: ProxyTrust;
  readonly #open = new Set<Connection>();
  /** Longest idle first. */
  readonly #idle = new Set<Connection>();
  readonly #byAddress = new Map<string, Holding>();
  readonly #bySocket = new WeakMap<Socket, Connection>();
  /** Connections whose TLS handshake is not finished. */
  readonly #byPeer = new Map<string, Connection>();

  constructor(settings: ConnectionSettings, observer: Observer, source: ConnectionSource | null) {
    this.#settings = settings;
    this.#notes = new ExceededNotes(observer);
    this.#source = source;
    this.#addressOf = createAddressOf(settings.trustedProxies);
    this.#trust = buildProxyTrust(settings.trustedProxies);
  }

  /** Returns false when the connection was closed because of a limit. */
  accept(socket: Socket): boolean {
    const { connectionsPerNode, connectionsPerAddress } = this.#settings;
    const address = this.#addressOf(socket.remoteAddress);
    const holding = address === null ? undefined : this.#byAddress.get(address);
    const hasRoom =
      this.#source !== null ||
      (this.#makeRoom(holding?.count ?? 0, connectionsPerAddress, holding?.idle) &&
        this.#makeRoom(this.#open.size, connectionsPerNode, this.#idle));
    if (!hasRoom) {
      socket.destroy();
      return false;
    }
    const connection = { socket, address, idleSinceMs: 0 };
    const peer = peerOf(socket);
    this.#open.add(connection);
    this.#byPeer.set(peer, connection);
    this.#bySocket.set(socket, connection);
    if (address !== null) this.#hold(address);
    this.setIdle(socket);
    socket.once("close", () => {
      if (this.#byPeer.get(peer) === connection) this.#byPeer.delete(peer);
      this.#forget(connection);
    });
    return true;
  }

  /** The socket over which requests arrive on an accepted connection: with TLS, another one than that of the connection. */
  open(socket: Socket): void {
    const peer = peerOf(socket);
    const connection = this.#byPeer.get(peer);
    this.#byPeer.delete(peer);
    if (connection !== undefined) this.#bySocket.set(socket, connection);
  }

  setBusy(socket: Socket): void {
    const connection = this.#bySocket.get(socket);
    if (connection !== undefined) this.#leaveIdle(connection);
  }

  setIdle(socket: Socket): void {
    const connection = this.#bySocket.get(socket);
    if (connection === undefined || !this.#open.has(connection)) return;
    connection.idleSinceMs = performance.now();
    this.#idle.add(connection);
    if (connection.address !== null) this.#byAddress.get(connection.address)?.idle.add(connection);
  }

  /**
   * Counts a request until `ending` closes: of a trusted proxy for the address that it forwards, over HTTP/2, where one connection
   * has many requests, for the address of the client.
   */
  admitRequest(
    { headers, socket, httpVersionMajor }: IncomingMessage,
    ending: EventEmitter,
  ): Promise<AppError | null> | AppError | null {
    const { tlsMode } = this.#settings;
    if (httpVersionMajor === 2) {
      const address = this.#bySocket.get(socket)?.address ?? null;
      return address === null ? null : this.#admit(address, ending);
    }
    const client = headers["x-forwarded-for"];
    if (tlsMode !== "proxy" || typeof client !== "string" || !this.#trust.isTrusted(socket.remoteAddress)) return null;
    // The proxy itself asks.
    if (this.#trust.isTrusted(client)) return null;
    return this.#admit(addressKey(client), ending);
  }

  findIdleMs(address: string | null): number | null {
    const [longest] = this.#idleOf(address);
    return longest === undefined ? null : performance.now() - longest.idleSinceMs;
  }

  closeIdle(address: string | null): boolean {
    const [longest] = this.#idleOf(address);
    if (longest === undefined) return false;
    this.#forget(longest);
    longest.socket.destroy();
    return true;
  }

  #idleOf(address: string | null): Iterable<Connection> {
    return address === null ? this.#idle : (this.#byAddress.get(address)?.idle ?? []);
  }

  #admit(address: string, ending: EventEmitter): Promise<AppError | null> | AppError | null {
    const { connectionsPerAddress: limit } = this.#settings;
    if (limit === 0) return null;
    if (this.#source !== null) return this.#admitOverAll(this.#source, address, ending);
    if ((this.#byAddress.get(address)?.count ?? 0) >= limit) return tooManyRequests();
    this.#hold(address);
    ending.once("close", () => this.#release(address));
    return null;
  }

  async #admitOverAll(source: ConnectionSource, address: string, ending: EventEmitter): Promise<AppError | null> {
    let hasEnded = false;
    let isAdmitted = false;
    ending.once("close", () => {
      hasEnded = true;
      if (isAdmitted) source.releaseRequest(address);
    });
    isAdmitted = await source.admitRequest(address);
    if (!isAdmitted) return tooManyRequests();
    if (hasEnded) source.releaseRequest(address);
    return null;
  }

  /** Whether there is room below the limit, after closing the longest idle connection where there is none. */
  #makeRoom(count: number, limit: number, idle: ReadonlySet<Connection> | undefined): boolean {
    if (limit === 0 || count < limit) return true;
    const [oldest] = idle ?? [];
    this.#notes.add(this.#open.size);
    if (oldest === undefined) return false;
    this.#forget(oldest);
    oldest.socket.destroy();
    return true;
  }

  #forget(connection: Connection): void {
    if (!this.#open.delete(connection)) return;
    this.#leaveIdle(connection);
    if (connection.address !== null) this.#release(connection.address);
    this.#source?.release(connection.address);
  }

  #leaveIdle(connection: Connection): void {
    this.#idle.delete(connection);
    if (connection.address !== null) this.#byAddress.get(connection.address)?.idle.delete(connection);
  }

  #hold(address: string): void {
    const holding = this.#byAddress.get(address) ?? { count: 0, idle: new Set() };
    holding.count += 1;
    this.#byAddress.set(address, holding);
  }

  #release(address: string): void {
    const holding = this.#byAddress.get(address);
    if (holding === undefined) return;
    holding.count -= 1;
    if (holding.count === 0) this.#byAddress.delete(address);
  }
}

function tooManyRequests(): AppError {
  return new AppError("RATE_LIMITED", "Too many requests of this address are in progress", {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
