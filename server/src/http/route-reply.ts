import type { OutgoingHttpHeader, OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { RouteRequest } from "./route-request.ts";

const NO_CONTENT = 204;
const NOT_MODIFIED = 304;

export interface Compressed {
  readonly coding: string;
  readonly bytes: Buffer;
}

interface BodyCompressor {
  /** Null when the body is to be sent as it is. */
  compress(acceptEncoding: string, body: Buffer): Promise<Compressed | null>;
}

interface ReplyPorts {
  readonly headers: Readonly<Record<string, string>>;
  /** Null where bodies are not compressed. */
  readonly compressor: BodyCompressor | null;
  /** Whether responses announce that they are the last ones of their connections. */
  isEnding(): boolean;
}

/** Collects the headers of a response until it is sent, so that an error can have them too. */
export class RouteReply {
  readonly request: RouteRequest;
  readonly raw: ServerResponse;
  readonly compressor: BodyCompressor | null;
  statusCode = 200;
  /** The headers that every response to the request has. */
  first: Readonly<Record<string, string>>;
  #headers: OutgoingHttpHeaders;
  readonly #isEnding: () => boolean;
  #isTaken = false;

  constructor(request: RouteRequest, raw: ServerResponse, { headers, compressor, isEnding }: ReplyPorts) {
    this.request = request;
    this.raw = raw;
    this.compressor = compressor;
    this.first = headers;
    this.#headers = { ...headers, "x-request-id": request.id };
    this.#isEnding = isEnding;
  }

  /** Whether the response was sent, or is written past this object. */
  get isTaken(): boolean {
    return this.#isTaken;
  }

  code(status: number): this {
    this.statusCode = status;
    return this;
  }

  header(name: string, value: OutgoingHttpHeader): this {
    this.#headers[name.toLowerCase()] = value;
    return this;
  }

  headers(values: Readonly<OutgoingHttpHeaders>): this {
    for (const name in values) this.#headers[name.toLowerCase()] = values[name];
    return this;
  }

  /** Also from the headers that every response has. */
  drop(names: readonly string[]): void {
    for (const name of names) delete this.#headers[name];
    this.first = Object.fromEntries(Object.entries(this.first).filter(([name]) => !names.includes(name)));
  }

  getHeader(name: string): OutgoingHttpHeader | undefined {
    return this.#headers[name];
  }

  getHeaders(): Readonly<OutgoingHttpHeaders> {
    return this.#headers;
  }

  /** The caller writes the response itself. */
  hijack(): void {
    this.#isTaken = true;
  }

  /** Sends text and bytes as they are, every other value as JSON. */
  send(payload?: unknown): this {
    const { raw, request, statusCode } = this;
    const headers = this.#headers;
    const body = statusCode === NO_CONTENT ? undefined : render(payload);
    if (body !== undefined) {
      headers["content-type"] ??= typeOf(payload);
      headers["content-length"] = Buffer.byteLength(body);
    } else if (statusCode === NO_CONTENT) delete headers["content-type"];
    else if (statusCode !== NOT_MODIFIED && request.method !== "HEAD") headers["content-length"] = 0;
    // HTTP/2 has no such header.
    if (this.#isEnding() && request.raw.httpVersionMajor < 2) headers["connection"] = "close";
    try {
      raw.writeHead(statusCode, headers);
    } catch (error) {
      // A header of the handler has characters that are not allowed; the error is sent without them.
      this.#headers = { ...this.first, "x-request-id": request.id };
      throw error;
    }
    this.#isTaken = true;
    raw.end(request.method === "HEAD" ? undefined : body);
    return this;
  }
}

function render(payload: unknown): string | Buffer | undefined {
  if (payload === undefined || typeof payload === "string" || Buffer.isBuffer(payload)) return payload;
  return JSON.stringify(payload);
}

function typeOf(payload: unknown): string {
  if (typeof payload === "string") return "text/plain; charset=utf-8";
  return Buffer.isBuffer(payload) ? "application/octet-stream" : "application/json; charset=utf-8";
}
