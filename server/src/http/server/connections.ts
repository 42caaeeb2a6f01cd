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
  /** Null with HTTP/1.1. */
  readonly session: ServerHttp2Session | null;
}

/** Tracks open sockets and the requests on them that are not completely answered. */
export class Connections {
  readonly #accepted = new Set<Socket>();
  readonly #waiting = new Set<Socket>();
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

  endWait(socket: Socket): void {
    this.#waiting.delete(socket);
  }

  /** A connection on which requests can arrive. */
  open(socket: Socket, session: ServerHttp2Session | null = null): void {
    if (this.#isClosing) {
      socket.destroySoon();
      return;
    }
    this.#limits.open(socket);
    this.#open.set(socket, { exchanges: new Set(), session });
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
    this.#open.get(socket)?.exchanges.add(exchange);
    this.#limits.setBusy(socket);
    response.once("close", () => {
      const open = this.#open.get(socket);
      open?.exchanges.delete(exchange);
      if (open?.exchanges.size !== 0) return;
      this.#limits.setIdle(socket);
      // A response that began before the stop could not announce that it is the last one. A session that was told to close does so.
      if (this.isEnding && open.session === null) socket.destroySoon();
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
    return this.#whenever(() => this.#open.size === 0 && this.#waiting.size === 0);
  }

  /** Closes idle connections now, and the others as soon as they become idle. Resolves when all are closed. */
  close(): Promise<void> {
    this.#isClosing = true;
    for (const [socket, { exchanges, session }] of this.#open) {
      // Tells the client to send further requests elsewhere, and closes after the last response.
      if (session !== null) session.close();
      else if (exchanges.size === 0) socket.destroySoon();
    }
    for (const socket of this.#waiting) socket.destroy();
    return this.#whenever(() => this.#accepted.size === 0);
  }

  #whenever(isReached: () => boolean): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onChange = () => {
      if (isReached()) resolve();
    };
    this.#onChange();
    return promise;
  }

  destroyAll(): number {
    const count = this.#accepted.size;
    for (const socket of this.#accepted) socket.destroy();
    return count;
  }
}
