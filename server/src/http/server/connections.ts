import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { ConnectionLimits } from "./connection-limits.ts";

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
}

/** Tracks open sockets and the requests on them that are not completely answered. */
export class Connections {
  readonly #accepted = new Set<Socket>();
  readonly #waiting = new Set<Socket>();
  readonly #exchanges = new Map<Socket, Set<Exchange>>();
  readonly #limits: ConnectionLimits;
  #isClosing = false;

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** A TCP connection, before the TLS handshake. Returns false when it was closed because of a limit. */
  accept(socket: Socket): boolean {
    if (!this.#limits.accept(socket)) return false;
    this.#accepted.add(socket);
    socket.once("close", () => this.#accepted.delete(socket));
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
  open(socket: Socket): void {
    if (this.#isClosing) {
      socket.destroySoon();
      return;
    }
    this.#limits.open(socket);
    this.#exchanges.set(socket, new Set());
    socket.once("close", () => this.#exchanges.delete(socket));
  }

  isOpen(socket: Socket): boolean {
    return this.#exchanges.has(socket);
  }

  begin(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const exchange = { request, response };
    this.#exchanges.get(socket)?.add(exchange);
    this.#limits.setBusy(socket);
    response.once("close", () => {
      const left = this.#exchanges.get(socket);
      left?.delete(exchange);
      if (left?.size === 0) this.#limits.setIdle(socket);
      // A response that began before the stop could not announce that it is the last one.
      if (this.#isClosing && left?.size === 0) socket.destroySoon();
    });
  }

  /** Somebody else owns the connection from now on. */
  handOver(socket: Socket): void {
    this.#limits.setBusy(socket);
    this.#exchanges.delete(socket);
  }

  unanswered(socket: Socket): Exchange[] {
    return [...(this.#exchanges.get(socket) ?? [])].filter(({ response }) => !response.writableEnded);
  }

  /** Closes idle connections now, and the others as soon as they become idle. */
  close(): void {
    this.#isClosing = true;
    for (const [socket, exchanges] of this.#exchanges) if (exchanges.size === 0) socket.destroySoon();
    for (const socket of this.#waiting) socket.destroy();
  }

  destroyAll(): number {
    const count = this.#accepted.size;
    for (const socket of this.#accepted) socket.destroy();
    return count;
  }
}
