import { constants, Http2ServerResponse, type ServerHttp2Stream } from "node:http2";
import type { Http2Request } from "../../request/http2-request.ts";
import { readTimeoutMs } from "../../response/reader-pace.ts";

// Node.js declares the members below as properties, although they are accessors, which only an accessor can override.
const NodeResponse = Http2ServerResponse as unknown as new (stream: ServerHttp2Stream) => ResponseMembers;

interface ResponseMembers extends Pick<Http2ServerResponse, "once" | "stream" | "writableEnded" | "writableLength"> {
  readonly req: Http2Request;
  end(...rest: unknown[]): unknown;
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
