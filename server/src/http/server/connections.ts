import type { IncomingMessage, ServerResponse } from "node:http";
import type { ServerHttp2Session } from "node:http2";
import type { Socket } from "node:net";
import type { ConnectionLimits } from "./connection-limits.ts";

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
}

interface OpenConnection {
  readonly exchanges: Set<Exchange>;
  /** Whether a request has arrived. */
  isUsed: boolean;
  /** Null with HTTP/1.1. */
  readonly session: ServerHttp2Session | null;
}

/** Time that the first request of a connection has to arrive when the service stops: the client may have sent it already. */
const FIRST_REQUEST_MS = 500;

/** Tracks open sockets and the requests on them that are not completely answered. */
export class Connections {
  readonly #accepted = new Set<Socket>();
  readonly #waiting = new Set<Socket>();
  /** By the address of the client, which the socket below the TLS connection and the connection have in common. */
  readonly #handshaking = new Set<string>();
  readonly #open = new Map<Socket, OpenConnection>();
  readonly #limits: ConnectionLimits;
  #isClosing = false;
  #isDraining = false;
  #onChange: (() => void) | null = null;

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** Whether responses announce that they are the last ones of their connections. */
  get isEnding(): boolean {
    return this.#isClosing || this.#isDraining;
  }

  /** A TCP connection, before the TLS handshake. Returns false when it was closed because of a limit. */
  accept(socket: Socket): boolean {
    if (!this.#limits.accept(socket)) return false;
    this.#accepted.add(socket);
    socket.once("close", () => {
      this.#accepted.delete(socket);
      this.#onChange?.();
    });
    return true;
  }

  /** Nothing was received on the socket yet, so closing it loses nothing. */
  awaitFirstByte(socket: Socket): void {
    this.#waiting.add(socket);
    socket.once("close", () => this.#waiting.delete(socket));
  }

  /** The client will send a request as soon as the handshake is complete. */
  beginHandshake(socket: Socket): void {
    const client = clientOf(socket);
    this.#waiting.delete(socket);
    this.#handshaking.add(client);
    socket.once("close", () => {
      this.#handshaking.delete(client);
      this.#onChange?.();
    });
  }

  /** A connection on which requests can arrive. */
  open(socket: Socket, session: ServerHttp2Session | null = null): void {
    this.#handshaking.delete(clientOf(socket));
    this.#limits.open(socket);
    const opened: OpenConnection = { exchanges: new Set(), session, isUsed: false };
    this.#open.set(socket, opened);
    if (this.#isClosing) this.#closeUnlessUsed(socket, opened);
    socket.once("close", () => {
      this.#open.delete(socket);
      this.#onChange?.();
    });
  }

  isOpen(socket: Socket): boolean {
    return this.#open.has(socket);
  }

  begin(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const exchange = { request, response };
    const used = this.#open.get(socket);
    if (used !== undefined) used.isUsed = true;
    used?.exchanges.add(exchange);
    this.#limits.setBusy(socket);
    response.once("close", () => {
      const open = this.#open.get(socket);
      open?.exchanges.delete(exchange);
      if (open?.exchanges.size !== 0) return;
      this.#limits.setIdle(socket);
      // A response that began before the stop could not announce that it is the last one. A session that was told to close does so.
      // While connections are drained, the next response announces it: the client may have sent a further request already.
      if (this.#isClosing && open.session === null) socket.destroySoon();
    });
  }

  /** Somebody else owns the connection from now on. */
  handOver(socket: Socket): void {
    this.#limits.setBusy(socket);
    this.#open.delete(socket);
    this.#onChange?.();
  }

  unanswered(socket: Socket): Exchange[] {
    return [...(this.#open.get(socket)?.exchanges ?? [])].filter(({ response }) => !response.writableEnded);
  }

  /**
   * Closes each connection after its next response, so that no request meets a connection that is just closed. Resolves when no
   * connection is left except those that were handed over.
   */
  drain(): Promise<void> {
    this.#isDraining = true;
    for (const { session } of this.#open.values()) session?.close();
    return this.#whenever(() => this.#open.size + this.#waiting.size + this.#handshaking.size === 0);
  }

  /** Closes idle connections now, and the others as soon as they become idle. Resolves when all are closed; `onEnded` is called for each. */
  close(onEnded: () => void): Promise<void> {
    this.#isClosing = true;
    for (const [socket, opened] of this.#open) {
      const { exchanges, session, isUsed } = opened;
      if (!isUsed) this.#closeUnlessUsed(socket, opened);
      // Tells the client to send further requests elsewhere, and closes after the last response.
      else if (session !== null) session.close();
      else if (exchanges.size === 0) socket.destroySoon();
    }
    for (const socket of this.#waiting) socket.destroy();
    return this.#whenever(() => {
      onEnded();
      return this.#accepted.size === 0;
    });
  }

  #closeUnlessUsed(socket: Socket, { session }: OpenConnection): void {
    const timer = setTimeout(() => {
      if (session !== null) session.close();
      else if (this.#open.get(socket)?.exchanges.size === 0) socket.destroySoon();
    }, FIRST_REQUEST_MS);
    socket.once("close", () => clearTimeout(timer));
  }

  #whenever(isReached: () => boolean): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onChange = () => {
      if (isReached()) resolve();
    };
    this.#onChange();
    return promise;
  }

  /** Returns how many connections it has closed, and how many requests on them had no complete response. */
  destroyAll(): { readonly connections: number; readonly requests: number } {
    const connections = this.#accepted.size;
    const requests = [...this.#open.values()].reduce((sum, { exchanges }) => sum + exchanges.size, 0);
    for (const socket of this.#accepted) socket.destroy();
    return { connections, requests };
  }
}

function clientOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
