import type { IncomingMessage } from "node:http";
import {
  constants,
  Http2ServerRequest,
  Http2ServerResponse,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from "node:http2";
import type { Readable } from "node:stream";
import type { TLSSocket } from "node:tls";
import { readTimeoutMs } from "../../response/reader-pace.ts";

const AUTHORITY = ":authority";

// Node.js declares the members below as properties, although they are accessors, which only an accessor can override.
type RequestParts = ConstructorParameters<typeof Http2ServerRequest>;
const NodeRequest = Http2ServerRequest as unknown as new (...parts: RequestParts) => Readable;
const NodeResponse = Http2ServerResponse as unknown as new (stream: ServerHttp2Stream) => ResponseMembers;

export interface RequestHead {
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly socket: TLSSocket;
}

interface ResponseMembers extends Pick<Http2ServerResponse, "once" | "stream" | "writableEnded" | "writableLength"> {
  readonly req: Http2Request;
  end(...rest: unknown[]): unknown;
}

/** An HTTP/2 request with the members of an HTTP/1.1 request, so that no later stage has to distinguish the two. */
export class Http2Request extends NodeRequest {
  readonly #socket: TLSSocket;
  readonly #rawHeaders: string[];
  readonly #headers: IncomingHttpHeaders;
  readonly hasBody: boolean;
  #bytesRead = 0;

  constructor(stream: ServerHttp2Stream, { headers, rawHeaders, socket }: RequestHead) {
    super(stream, headers, {}, rawHeaders);
    this.#socket = socket;
    this.hasBody = !stream.endAfterHeaders;
    this.#rawHeaders = toPlainFields(rawHeaders);
    const { [AUTHORITY]: host = headers.host } = headers;
    this.#headers = { ...Object.fromEntries(Object.entries(headers).filter(isField)), ...(host && { host }) };
  }

  /** Without pseudo-header fields; `host` is the authority. */
  get headers(): IncomingHttpHeaders {
    return this.#headers;
  }

  get rawHeaders(): string[] {
    return this.#rawHeaders;
  }

  get headersDistinct(): Record<string, string[]> {
    const values = Object.create(null) as Record<string, string[]>;
    for (let index = 0; index < this.#rawHeaders.length; index += 2)
      (values[this.#rawHeaders[index] ?? ""] ??= []).push(this.#rawHeaders[index + 1] ?? "");
    return values;
  }

  /** The connection, which other streams share. Only the session may read and write it. */
  get socket(): TLSSocket {
    return this.#socket;
  }

  /** Bytes of the body that have arrived. */
  get bytesRead(): number {
    return this.#bytesRead;
  }

  override push(chunk: Buffer | null, encoding?: BufferEncoding): boolean {
    this.#bytesRead += chunk?.length ?? 0;
    return super.push(chunk, encoding);
  }
}

/** An HTTP/2 response with the members of an HTTP/1.1 response. */
export class Http2Response extends NodeResponse {
  #dueMs = Number.POSITIVE_INFINITY;

  /** Null as for an HTTP/1.1 response that has no connection for itself: nothing can be written past this object. */
  get socket(): null {
    return null;
  }

  get destroyed(): boolean {
    return this.stream.destroyed || this.stream.closed;
  }

  /** Node.js also ends the writable side of a stream that is reset, so that it finishes. */
  get writableFinished(): boolean {
    return this.writableEnded && this.stream.writableFinished;
  }

  /** When the client must have read the rest of a response that is completely written. */
  get dueMs(): number {
    return this.#dueMs;
  }

  override end(...rest: unknown[]): this {
    super.end(...rest);
    this.#dueMs = Math.min(this.#dueMs, performance.now() + readTimeoutMs(this.writableLength));
    const { stream } = this;
    // Nobody reads the rest of the body. A response is valid only when the reset follows its end (RFC 9113, section 8.1), which
    // Node.js sends after the event.
    stream.once("finish", () =>
      setImmediate(() => {
        if (!stream.readableEnded && !stream.endAfterHeaders && !this.destroyed)
          stream.close(constants.NGHTTP2_NO_ERROR);
      }),
    );
    return this;
  }

  /** Resets the stream with an error, so that the client does not take a partial response for a complete one. */
  destroy(): this {
    resetStream(this.stream, constants.NGHTTP2_INTERNAL_ERROR);
    return this;
  }
}

export function resetStream(stream: ServerHttp2Stream, code: number): void {
  if (!stream.destroyed && !stream.closed) stream.close(code);
  // A response that waits for the client's window keeps a closed stream open.
  stream.destroy();
}

/** Returns null for an HTTP/1.1 request. */
export function asHttp2(request: IncomingMessage): Http2Request | null {
  const message: unknown = request;
  return message instanceof Http2Request ? message : null;
}

function isField([name]: readonly [name: string, value: unknown]): boolean {
  return !name.startsWith(":");
}

/** The authority becomes the Host header. A Host header that differs from it stays, so that the request is rejected. */
function toPlainFields(rawHeaders: readonly string[]): string[] {
  const authorityAt = rawHeaders.indexOf(AUTHORITY);
  const authority = authorityAt === -1 ? null : (rawHeaders[authorityAt + 1] ?? "");
  const fields = authority === null ? [] : ["host", authority];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = "", value = ""] = [rawHeaders[index], rawHeaders[index + 1]];
    if (!name.startsWith(":") && !(name === "host" && value === authority)) fields.push(name, value);
  }
  return fields;
}
