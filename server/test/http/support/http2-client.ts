import { once } from "node:events";
import http2 from "node:http2";
import type { TestContext } from "node:test";
import tls from "node:tls";

export interface Http2Answer {
  readonly status: number;
  readonly headers: http2.IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly text: string;
}

interface Target {
  readonly port: number;
  readonly ca: string;
}

export async function openSession(
  t: TestContext,
  { port, ca }: Target,
  options: http2.SecureClientSessionOptions = {},
): Promise<http2.ClientHttp2Session> {
  const session = http2.connect(`https://localhost:${port}`, { ca, ...options });
  session.on("error", () => {});
  t.after(() => session.destroy());
  await once(session, "remoteSettings");
  return session;
}

/** Sends a request and reads its response to the end. Rejects when the stream is reset with an error. */
export async function ask(
  session: http2.ClientHttp2Session,
  headers: http2.OutgoingHttpHeaders,
  body?: string | Buffer,
): Promise<Http2Answer> {
  const stream = session.request(headers, { endStream: body === undefined });
  if (body !== undefined) stream.end(body);
  return readAnswer(stream);
}

export async function readAnswer(stream: http2.ClientHttp2Stream): Promise<Http2Answer> {
  const answered = once(stream, "response") as Promise<[http2.IncomingHttpHeaders & { ":status"?: number }]>;
  const chunks: Buffer[] = [];
  const ended = new Promise<void>((resolve, reject) => {
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.on("end", resolve);
    stream.on("error", reject);
  });
  ended.catch(() => {});
  const [headers] = await answered;
  await ended;
  const bytes = Buffer.concat(chunks);
  return { status: headers[":status"] ?? 0, headers, bytes, text: bytes.toString() };
}

/** Types, flags and a preface of RFC 9113, for input that no client library sends. */
export const FRAME = {
  data: 0,
  headers: 1,
  reset: 3,
  settings: 4,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
};
export const END_STREAM = 1;
export const END_HEADERS = 4;
const PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const HEADER_BYTES = 9;

export function frame(type: number, flags: number, stream: number, payload: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(HEADER_BYTES);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** The header block of a GET request, without compression. */
export function headerBlock(path: string, fields: readonly (readonly [name: string, value: string])[] = []): Buffer {
  const text = (value: string): Buffer => Buffer.concat([Buffer.from([value.length]), Buffer.from(value, "latin1")]);
  const literals = fields.flatMap(([name, value]) => [Buffer.from([0]), text(name), text(value)]);
  return Buffer.concat([
    Buffer.from([0x82, 0x87, 0x04]),
    text(path),
    Buffer.from([0x01]),
    text("localhost"),
    ...literals,
  ]);
}

export interface RawConnection {
  readonly socket: tls.TLSSocket;
  /** Types, flags and error codes of the frames that the server sent, in order. */
  readonly frames: {
    readonly type: number;
    readonly flags: number;
    readonly stream: number;
    readonly code: number | null;
  }[];
  readonly closed: Promise<void>;
}

/** A connection on which a test writes frames itself. `settings` are those of the client. */
export async function openRaw({ port, ca }: Target, settings: Buffer = Buffer.alloc(0)): Promise<RawConnection> {
  const socket = tls.connect({ host: "127.0.0.1", port, ca, ALPNProtocols: ["h2"] });
  await once(socket, "secureConnect");
  const frames: RawConnection["frames"] = [];
  let received = Buffer.alloc(0);
  socket.on("data", (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    while (received.length >= HEADER_BYTES) {
      const end = HEADER_BYTES + received.readUIntBE(0, 3);
      if (received.length < end) break;
      const [type, flags, stream] = [received.readUInt8(3), received.readUInt8(4), received.readUInt32BE(5)];
      const codeAt = type === FRAME.reset ? HEADER_BYTES : type === FRAME.goAway ? HEADER_BYTES + 4 : null;
      frames.push({ type, flags, stream, code: codeAt === null ? null : received.readUInt32BE(codeAt) });
      received = received.subarray(end);
    }
  });
  socket.on("error", () => {});
  const closed = new Promise<void>((resolve) => void socket.once("close", () => resolve()));
  socket.write(Buffer.concat([Buffer.from(PREFACE), frame(FRAME.settings, 0, 0, settings)]));
  return { socket, frames, closed };
}
