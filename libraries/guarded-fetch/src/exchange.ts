import type { IncomingHttpHeaders } from "node:http";
import { StringDecoder } from "node:string_decoder";
import type { Dispatcher } from "undici";
import { classifyError } from "./classify-error.ts";
import type { Connection } from "./connection/connection.ts";
import type { OriginPool, PendingRequest } from "./connection/origin-pool.ts";
import { OutboundError, type OutboundResult } from "./outbound-result.ts";

const MAX_BODY_BYTES = 65_536;
const MAX_INTERIM_RESPONSES = 16;
const MAX_RETRY_AFTER_LENGTH = 256;

interface ExchangeOptions {
  readonly options: Dispatcher.DispatchOptions;
  readonly pool: OriginPool;
  readonly timeoutMs: number;
  onSettled(exchange: Exchange, result: OutboundResult): void;
}

/**
 * One request and its response. States: `waiting` for a connection; `connecting` once a connection is assigned; `sent` when
 * the request goes onto the socket; `answering` after the response headers; `settled` by the end of the response, the body
 * limit, an error, the deadline or an abort. Events after that are ignored.
 *
 * A request is never sent twice. undici opens a new socket when a kept-alive one closed before the request was written; after
 * that the host may have processed the request, so a reset is a failure for the caller to handle.
 */
export class Exchange implements PendingRequest {
  readonly options: Dispatcher.DispatchOptions;
  readonly #settings: ExchangeOptions;
  readonly #startedAtMs = performance.now();
  readonly #deadline: NodeJS.Timeout;
  readonly #body = new ResponseBody();
  #phase: "waiting" | "connecting" | "sent" | "answering" | "settled" = "waiting";
  #connection: Connection | null = null;
  #interimResponses = 0;
  #status = 0;
  #retryAfter: string | null = null;

  constructor(settings: ExchangeOptions) {
    this.#settings = settings;
    this.options = settings.options;
    this.#deadline = setTimeout(this.#expire, settings.timeoutMs);
  }

  assign(connection: Connection): Dispatcher.DispatchHandler {
    this.#connection = connection;
    this.#phase = "connecting";
    return {
      onRequestStart: () => {
        if (this.#phase === "connecting") this.#phase = "sent";
      },
      onResponseStart: (_controller, status, headers) => this.#begin(status, headers),
      onResponseData: (_controller, chunk) => this.#read(chunk),
      onResponseEnd: () => this.#answer(true),
      onResponseError: (_controller, error) => this.#settleFailed(error),
    };
  }

  cancel(error: OutboundError): void {
    this.#settleFailed(error);
  }

  abort(): void {
    this.#settleFailed(new OutboundError("aborted", "The request was cancelled."));
  }

  #expire = (): void => this.#settleFailed(this.#describeTimeout());

  #describeTimeout(): OutboundError {
    if (this.#phase === "waiting")
      return new OutboundError("timeout", "No connection to the host became free in time.");
    if (this.#phase === "connecting") return new OutboundError("connect_timeout", "No connection was made in time.");
    return new OutboundError("timeout", "No complete answer came in time.");
  }

  #begin(status: number, headers: IncomingHttpHeaders): void {
    if (this.#phase === "settled") return;
    this.#phase = "answering";
    if (status < 200) {
      this.#interimResponses += 1;
      if (this.#interimResponses <= MAX_INTERIM_RESPONSES) return;
      return this.#settleFailed(new OutboundError("protocol", "The host sent too many interim responses."));
    }
    this.#status = status;
    // A repeated header is a list, despite its type.
    const [retryAfter] = [headers["retry-after"] as string | string[] | undefined].flat();
    this.#retryAfter = retryAfter?.slice(0, MAX_RETRY_AFTER_LENGTH) ?? null;
  }

  #read(chunk: Buffer): void {
    if (this.#phase === "settled") return;
    this.#body.add(chunk);
    if (this.#body.isTruncated) this.#answer(false);
  }

  #answer(isReusable: boolean): void {
    if (this.#phase === "settled") return;
    const { isTruncated } = this.#body;
    const [status, retryAfter, body] = [this.#status, this.#retryAfter, this.#body.toText()];
    this.#settle(
      { kind: "answered", status, retryAfter, body, isTruncated, durationMs: this.#elapsedMs() },
      isReusable,
    );
  }

  #settleFailed(error: Error): void {
    if (this.#phase === "settled") return;
    const fault = classifyError(error, this.#phase === "sent" || this.#phase === "answering");
    this.#settle({ kind: "failed", ...fault, durationMs: this.#elapsedMs() }, false);
  }

  #settle(result: OutboundResult, isReusable: boolean): void {
    const { pool, onSettled } = this.#settings;
    const connection = this.#connection;
    this.#phase = "settled";
    clearTimeout(this.#deadline);
    // Deferred, because undici is still inside a callback of this request.
    if (connection === null) pool.withdraw(this);
    else queueMicrotask(() => pool.release(connection, isReusable));
    onSettled(this, result);
  }

  #elapsedMs(): number {
    return Math.round(performance.now() - this.#startedAtMs);
  }
}

/** The first MAX_BODY_BYTES of a response body. */
class ResponseBody {
  readonly #chunks: Buffer[] = [];
  #size = 0;
  #isTruncated = false;

  get isTruncated(): boolean {
    return this.#isTruncated;
  }

  add(chunk: Buffer): void {
    const left = MAX_BODY_BYTES - this.#size;
    if (chunk.length > left) this.#isTruncated = true;
    if (left <= 0) return;
    this.#chunks.push(chunk.length > left ? chunk.subarray(0, left) : chunk);
    this.#size = Math.min(MAX_BODY_BYTES, this.#size + chunk.length);
  }

  /** Valid UTF-8 without NUL, at most MAX_BODY_BYTES, so that PostgreSQL can store it. */
  toText(): string {
    const [first, ...rest] = this.#chunks;
    if (first === undefined) return "";
    const bytes = rest.length === 0 ? first : Buffer.concat(this.#chunks, this.#size);
    const text = (this.#isTruncated ? decodeWholeCharacters(bytes) : bytes.toString("utf8")).replaceAll("\0", "");
    // Each invalid byte becomes a replacement character of three bytes.
    const isTooLong = text.length * 3 > MAX_BODY_BYTES && Buffer.byteLength(text) > MAX_BODY_BYTES;
    return isTooLong ? decodeWholeCharacters(Buffer.from(text).subarray(0, MAX_BODY_BYTES)) : text;
  }
}

function decodeWholeCharacters(bytes: Buffer): string {
  return new StringDecoder("utf8").write(bytes);
}
