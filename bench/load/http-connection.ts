import { once } from "node:events";
import net from "node:net";
import tls from "node:tls";

export interface HttpTarget {
  readonly host: string;
  readonly port: number;
  readonly ca: string | undefined;
  /** Without TLS, for servers that have none. */
  readonly isPlain?: boolean;
}

export interface HttpRequest {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface HttpAnswer {
  readonly status: number;
  readonly text: string;
}

export interface HttpConnection {
  /** Resolves with the status when the whole body has arrived. One request at a time. */
  send(request: Buffer): Promise<number>;
  /** The same, with the body: for checking responses, not for load. */
  ask(request: Buffer): Promise<HttpAnswer>;
  /** False once either side has closed it: servers close idle connections. */
  isOpen(): boolean;
  close(): void;
}

interface Waiting {
  resolve(status: number): void;
  reject(error: Error): void;
}

/** What the head of a response determines. */
interface Head {
  readonly status: number;
  /** The offset of the body. */
  readonly bodyAt: number;
  /** Size of the whole response in bytes; null: the last chunk marks its end. */
  readonly totalBytes: number | null;
}

const HEAD_END = "\r\n\r\n";
const LAST_CHUNK = Buffer.from("0\r\n\r\n");

/**
 * One kept-alive connection. It implements only as much HTTP as the load needs, so that the machine's time goes to the
 * service and not to the client.
 */
export async function openConnection({ host, port, ca, isPlain = false }: HttpTarget): Promise<HttpConnection> {
  const socket = isPlain
    ? net.connect({ host, port })
    : tls.connect({ host, port, servername: host, ...(ca !== undefined && { ca }) });
  socket.setNoDelay(true);
  await once(socket, isPlain ? "connect" : "secureConnect");
  let waiting: Waiting | null = null;
  let pieces: Buffer[] = [];
  let receivedBytes = 0;
  let head: Head | null = null;

  const fail = (error: Error): void => {
    waiting?.reject(error);
    waiting = null;
  };
  socket.on("error", fail);
  socket.on("close", () => fail(new Error("The service closed the connection.")));
  socket.on("data", (piece: Buffer) => {
    pieces.push(piece);
    receivedBytes += piece.length;
    head ??= readHead(joinPieces(pieces));
    if (head === null) return;
    const { status, totalBytes } = head;
    if (totalBytes === null ? !endsWithLastChunk(pieces) : receivedBytes < totalBytes) return;
    const answered = waiting;
    waiting = null;
    answered?.resolve(status);
  });

  const send = (request: Buffer): Promise<number> => {
    if (!socket.writable) return Promise.reject(new Error("The connection is closed."));
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    waiting = { resolve, reject };
    pieces = [];
    receivedBytes = 0;
    head = null;
    socket.write(request);
    return promise;
  };
  return {
    send,
    ask: async (request) => {
      const status = await send(request);
      const isChunked = head?.totalBytes === null;
      const body = joinPieces(pieces).toString("utf8", head?.bodyAt ?? 0);
      return { status, text: isChunked ? joinChunks(body) : body };
    },
    isOpen: () => socket.writable,
    close: () => socket.destroy(),
  };
}

export function renderRequest({ host, port }: HttpTarget, { method, path, headers, body = "" }: HttpRequest): Buffer {
  const all = { host: `${host}:${port}`, ...headers, "content-length": String(Buffer.byteLength(body)) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`);
}

function readHead(received: Buffer): Head | null {
  const headEnd = received.indexOf(HEAD_END);
  if (headEnd < 0) return null;
  const text = received.toString("latin1", 0, headEnd);
  const bodyAt = headEnd + HEAD_END.length;
  const status = Number(text.slice(9, 12));
  const length = /^content-length: *(\d+)/im.exec(text)?.[1];
  if (length !== undefined) return { status, bodyAt, totalBytes: bodyAt + Number(length) };
  const isChunked = /^transfer-encoding: *chunked/im.test(text);
  return { status, bodyAt, totalBytes: isChunked ? null : bodyAt };
}

function joinPieces(pieces: readonly Buffer[]): Buffer {
  return pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces);
}

// The requested bodies are JSON, which cannot end like this.
function endsWithLastChunk(pieces: readonly Buffer[]): boolean {
  const last = pieces.at(-1);
  const tail = last !== undefined && last.length >= LAST_CHUNK.length ? last : Buffer.concat(pieces.slice(-2));
  return tail.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK);
}

function joinChunks(body: string): string {
  // Only used for JSON without line breaks, so lines of digits are chunk sizes.
  return body
    .split("\r\n")
    .filter((_, at) => at % 2 === 1)
    .join("");
}
