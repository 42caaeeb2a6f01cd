import type { IncomingMessage } from "node:http";
import { Http2ServerRequest, type IncomingHttpHeaders, type ServerHttp2Stream } from "node:http2";
import type { Readable } from "node:stream";
import type { TLSSocket } from "node:tls";

const AUTHORITY = ":authority";

// Node.js declares the members below as properties, although they are accessors, which only an accessor can override.
type RequestArguments = ConstructorParameters<typeof Http2ServerRequest>;
const NodeRequest = Http2ServerRequest as unknown as new (...values: RequestArguments) => Readable;

interface RequestHead {
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly socket: TLSSocket;
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
