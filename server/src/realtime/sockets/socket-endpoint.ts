import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import {
  AppError,
  type HelpLinks,
  renderError,
  SECURITY_HEADERS,
  toAppError,
  withShortText,
} from "../../errors/index.ts";
import type { SocketCounts } from "../realtime-options.ts";
import type { RealtimeState } from "../realtime-state.ts";
import { SetsByKey } from "../sets-by-key.ts";
import { parseVsn, type Vsn } from "../wire/protocol.ts";
import { ClientSocket } from "./client-socket.ts";

const PATHS = new Set(["/realtime/v1/websocket", "/realtime/v1/socket/websocket"]);

const RETRY_AFTER_SECONDS = 5;
const DRAIN_MS = 2_000;
const TOO_MANY_OF_ADDRESS = "Too many sockets are open from this address";

/** Accepts WebSocket connections and holds the open ones. */
export class SocketEndpoint {
  readonly sockets = new Set<ClientSocket>();
  readonly #state: RealtimeState;
  readonly #server: WebSocketServer;
  /** Sockets by address, including those in their handshake. */
  readonly #addresses = new SetsByKey<Duplex>();
  #pending = 0;
  #isClosed = false;

  constructor(state: RealtimeState) {
    this.#state = state;
    this.#server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: state.settings.realtimeFrameLimitBytes,
    });
    this.#server.on("wsClientError", (error, socket) => {
      rejectUpgrade(socket, new AppError("BAD_REQUEST", error.message), state.helpLinks);
    });
  }

  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    // No other listener exists until the handshake is done.
    const ignore = (): void => {};
    socket.on("error", ignore);
    this.#pending += 1;
    this.#countAddress(request, socket)
      .then(() => this.#admit(request))
      .then(
        ({ vsn, apikey }) => {
          if (socket.destroyed || this.#isClosed) return void socket.destroy();
          socket.off("error", ignore);
          this.#server.handleUpgrade(request, socket, head, (ws) => {
            const client = new ClientSocket(this.#state, ws, {
              vsn,
              apikey,
              address: this.#state.addressOf?.(request) ?? null,
            });
            this.sockets.add(client);
            ws.once("close", () => this.sockets.delete(client));
          });
        },
        (error: unknown) => {
          this.#state.observer.note("realtime.refused", { error });
          rejectUpgrade(socket, error, this.#state.helpLinks);
        },
      )
      .finally(() => {
        this.#pending -= 1;
      });
  }

  /** Resolves when all sockets are closed. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.sockets].map((socket) => socket.close()));
  }

  /** Limits the sockets of one address, counted from here until the connection closes. */
  async #countAddress(request: IncomingMessage, socket: Duplex): Promise<void> {
    const address = this.#state.addressOf?.(request);
    if (address === undefined || socket.destroyed) return;
    const { socketCounts } = this.#state;
    if (socketCounts !== undefined) return countOverAll(socketCounts, address, socket);
    const cap = this.#state.settings.realtimeSocketsPerAddress;
    if (cap > 0 && this.#addresses.get(address).size >= cap) throw tooManySockets(TOO_MANY_OF_ADDRESS);
    this.#addresses.add(address, socket);
    socket.once("close", () => this.#addresses.delete(address, socket));
  }

  async #admit(request: IncomingMessage): Promise<{ readonly vsn: Vsn; readonly apikey: string }> {
    const [path = "", search = ""] = (request.url ?? "").split("?", 2);
    if (!PATHS.has(path)) throw new AppError("NOT_FOUND", "No route matches this path");
    const searchParams = new URLSearchParams(search);
    const vsn = parseVsn(searchParams.get("vsn"));
    if (vsn === null) throw new AppError("BAD_REQUEST", "vsn must be 1.0.0 or 2.0.0");
    const cap = this.#state.socketCounts === undefined ? this.#state.settings.realtimeSocketsPerNode : 0;
    if (cap > 0 && this.sockets.size + this.#pending > cap) {
      throw tooManySockets("Too many sockets are open");
    }
    const apikey = readApiKey(request, searchParams);
    await this.#state.authenticate(null, apikey);
    return { vsn, apikey };
  }
}

/** The socket can close while the answer is on its way. */
async function countOverAll(counts: SocketCounts, address: string, socket: Duplex): Promise<void> {
  let [isHeld, isClosed] = [false, false];
  socket.once("close", () => {
    isClosed = true;
    if (isHeld) counts.release(address);
  });
  const exceeded = await counts.hold(address);
  if (exceeded !== null) throw tooManySockets(exceeded === "node" ? "Too many sockets are open" : TOO_MANY_OF_ADDRESS);
  isHeld = true;
  if (isClosed) counts.release(address);
}

function tooManySockets(message: string): AppError {
  return new AppError("RATE_LIMITED", message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}

function readApiKey({ headers }: IncomingMessage, searchParams: URLSearchParams): string {
  const { "x-api-key": xApiKey, apikey } = headers;
  return [searchParams.get("apikey"), xApiKey, apikey].find((key) => typeof key === "string")?.toString() ?? "";
}

/** Answers a failed handshake with an HTTP error response. */
function rejectUpgrade(socket: Duplex, error: unknown, helpLinks: HelpLinks | undefined): void {
  const { status, headers, body } = renderError(withShortText(toAppError(error)), helpLinks);
  const lines = {
    ...SECURITY_HEADERS,
    ...headers,
    "access-control-allow-origin": "*",
    "content-length": String(Buffer.byteLength(body)),
    connection: "close",
  };
  const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`);
  // Closing with unread bytes would reset the connection before the client reads the response.
  socket.on("data", () => {});
  socket.once("end", () => socket.destroy());
  socket.resume();
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${head.join("")}\r\n${body}`);
  const timer = setTimeout(() => socket.destroy(), DRAIN_MS);
  socket.once("close", () => clearTimeout(timer));
}
