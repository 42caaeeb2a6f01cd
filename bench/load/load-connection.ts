import { once } from "node:events";
import net from "node:net";
import tls from "node:tls";
import type { HttpTarget } from "./http-connection.ts";

/** Called for every response, with its status, and once with the error that ends the connection. */
export interface LoadListener {
  onAnswer(connection: LoadConnection, status: number): void;
  onError(error: Error): void;
}

export interface LoadConnection {
  /** One request at a time. */
  send(request: Buffer): void;
  /** Null while no load runs. */
  listener: LoadListener | null;
  /** False once either side has closed it: servers close idle connections. */
  isOpen(): boolean;
  close(): void;
}

const HEAD_END = "\r\n\r\n";
const LAST_CHUNK = "0\r\n\r\n";
const READ_BYTES = 65_536;
const STATUS_AT = 9;
const ZERO = 48;

/**
 * A kept-alive connection that costs the machine as little as Node.js allows: every read goes into the same buffer, a
 * response is counted and not kept, and a callback takes the place of a promise.
 */
export async function openLoadConnection({ host, port, ca, isPlain = false }: HttpTarget): Promise<LoadConnection> {
  let head: Buffer | null = null;
  /** Bytes of the body that are missing; null while the head is; -1 until the last chunk. */
  let missing: number | null = null;
  let status = 0;
  let tail = "";

  const receive = (bytes: Buffer): void => {
    let body = bytes;
    if (missing === null) {
      const received = head === null ? bytes : Buffer.concat([head, bytes]);
      const headEnd = received.indexOf(HEAD_END);
      if (headEnd < 0) {
        // The next read overwrites the buffer.
        head = Buffer.from(received);
        return;
      }
      head = null;
      status = readStatus(received);
      missing = readLength(received.toString("latin1", 0, headEnd));
      body = received.subarray(headEnd + HEAD_END.length);
    }
    if (missing === -1) {
      tail = (tail + body.toString("latin1", Math.max(0, body.length - LAST_CHUNK.length))).slice(-LAST_CHUNK.length);
      // The requested bodies are JSON, which cannot end like this.
      if (tail !== LAST_CHUNK) return;
      tail = "";
    } else {
      missing -= body.length;
      if (missing > 0) return;
    }
    missing = null;
    connection.listener?.onAnswer(connection, status);
  };

  const onread = {
    buffer: Buffer.allocUnsafeSlow(READ_BYTES),
    callback: (size: number, buffer: Uint8Array): boolean => {
      receive((buffer as Buffer).subarray(0, size));
      return true;
    },
  };
  const secure: tls.ConnectionOptions & { readonly onread: net.OnReadOpts } = {
    host,
    port,
    servername: host,
    onread,
    ...(ca !== undefined && { ca }),
  };
  const socket = isPlain ? net.connect({ host, port, onread }) : tls.connect(secure);
  socket.setNoDelay(true);
  await once(socket, isPlain ? "connect" : "secureConnect");
  const fail = (error: Error): void => connection.listener?.onError(error);
  socket.on("error", fail);
  socket.on("close", () => fail(new Error("The server closed the connection.")));

  const connection: LoadConnection = {
    send: (request) => void socket.write(request),
    listener: null,
    isOpen: () => socket.writable,
    close: () => socket.destroy(),
  };
  return connection;
}

function readStatus(received: Buffer): number {
  const digit = (at: number): number => (received[STATUS_AT + at] ?? 0) - ZERO;
  return 100 * digit(0) + 10 * digit(1) + digit(2);
}

function readLength(head: string): number {
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length !== undefined) return Number(length);
  return /\r\ntransfer-encoding: *chunked/i.test(head) ? -1 : 0;
}
