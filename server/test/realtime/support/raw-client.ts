import { once } from "node:events";
import { WebSocket } from "ws";
import type { Cleanup } from "../../support/database.ts";
import { WAIT_MS } from "../../support/wait-limit.ts";

/** [join_ref, ref, topic, event, payload], whichever version it came in. */
export type Frame = [string | null, string | null, string, string, Record<string, unknown>];

export interface RawClientOptions {
  readonly vsn?: "1.0.0" | "2.0.0";
  readonly apikey?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The certificate authority of the service. */
  readonly ca?: string;
}

/** Speaks the protocol byte by byte, and records all frames that it receives. */
export class RawClient {
  readonly ws: WebSocket;
  readonly frames: Frame[] = [];
  readonly binary: Buffer[] = [];
  readonly closed: Promise<number>;
  readonly #vsn: "1.0.0" | "2.0.0";
  readonly #waiters = new Set<() => void>();
  #ref = 0;

  constructor(
    url: string,
    { vsn = "2.0.0", apikey = "anon", path = "websocket", headers = {}, ca }: RawClientOptions = {},
  ) {
    this.#vsn = vsn;
    const address = `${url.replace("http", "ws")}/realtime/v1/${path}?apikey=${apikey}&vsn=${vsn}`;
    this.ws = new WebSocket(address, { headers, ...(ca !== undefined && { ca }) });
    this.closed = once(this.ws, "close").then(([code]) => code as number);
    this.ws.on("message", (bytes: Buffer, isBinary: boolean) => {
      if (isBinary) this.binary.push(bytes);
      else this.frames.push(this.#parse(bytes.toString()));
      for (const wake of this.#waiters) wake();
    });
  }

  static async open(t: Cleanup, url: string, options: RawClientOptions = {}): Promise<RawClient> {
    const client = new RawClient(url, options);
    client.ws.on("error", () => {});
    await once(client.ws, "open");
    t.after(async () => client.ws.terminate());
    return client;
  }

  send(joinRef: string | null, topic: string, event: string, payload: unknown): string {
    this.#ref += 1;
    const ref = event === "phx_join" && joinRef !== null ? joinRef : `r${this.#ref}`;
    const frame =
      this.#vsn === "2.0.0" ? [joinRef, ref, topic, event, payload] : { topic, event, payload, ref, join_ref: joinRef };
    this.ws.send(JSON.stringify(frame));
    return ref;
  }

  /** Joins, and answers with the reply's payload. */
  async join(topic: string, config: unknown = {}, token?: string, joinRef = "1"): Promise<Record<string, unknown>> {
    const since = this.frames.length;
    this.send(joinRef, topic, "phx_join", { config, ...(token !== undefined && { access_token: token }) });
    const [, , , , payload] = await this.next(
      (frame) => frame[2] === topic && frame[1] === joinRef && frame[3] === "phx_reply",
      since,
    );
    return payload;
  }

  async ask(joinRef: string | null, topic: string, event: string, payload: unknown): Promise<Record<string, unknown>> {
    const ref = this.send(joinRef, topic, event, payload);
    const [, , , , reply] = await this.next((frame) => frame[1] === ref && frame[3] === "phx_reply");
    return reply;
  }

  /** The first frame from `since` on that is wanted, which may have come already. */
  async next(isWanted: (frame: Frame) => boolean, since = 0): Promise<Frame> {
    return this.until(() => this.frames.slice(since).find(isWanted));
  }

  async nextEvent(event: string, since = 0): Promise<Frame> {
    return this.next((frame) => frame[3] === event, since);
  }

  async until<T>(find: () => T | undefined | false): Promise<T> {
    const deadline = AbortSignal.timeout(WAIT_MS);
    for (;;) {
      const found = find();
      if (found !== undefined && found !== false) return found;
      await new Promise<void>((resolve, reject) => {
        const wake = (): void => {
          this.#waiters.delete(wake);
          resolve();
        };
        this.#waiters.add(wake);
        deadline.addEventListener(
          "abort",
          () => reject(new Error(`no such frame in time; received: ${JSON.stringify(this.frames)}`)),
          {
            once: true,
          },
        );
      });
    }
  }

  #parse(text: string): Frame {
    const value = JSON.parse(text) as Frame | Record<string, unknown>;
    if (Array.isArray(value)) return value;
    return [value["join_ref"], value["ref"], value["topic"], value["event"], value["payload"]] as Frame;
  }
}
