import type { Duplex } from "node:stream";
import v8 from "node:v8";

/** The length of the content and its format. */
const HEAD_BYTES = 5;

const FORMAT_OFFSET = 4;

const [JSON_FORMAT, V8_FORMAT] = [0, 1];

/** What one side offers to the other, by name. The values must be ones that `v8.serialize` can copy. */
export type Methods = { readonly [name: string]: (data: never) => unknown };

type DataOf<Remote extends Methods, Name extends keyof Remote> = Parameters<Remote[Name]>[0];
type ResultOf<Remote extends Methods, Name extends keyof Remote> = Awaited<ReturnType<Remote[Name]>>;

type Frame =
  | readonly [kind: "tell", name: string, data: unknown]
  | readonly [kind: "call", name: string, data: unknown, id: number]
  | readonly [kind: "result" | "error", id: number, value: unknown];

interface Pending {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/**
 * Messages between the primary and one worker process, in order, over a pipe of their own: the channel of Node.js, which passes
 * connections, sends nothing else until the other side has taken the last one.
 */
export class RpcPeer<Remote extends Methods> {
  /** Resolves when the other side has ended. */
  readonly closed: Promise<void>;
  readonly #stream: Duplex;
  readonly #local: Methods;
  readonly #pending = new Map<number, Pending>();
  #received: Buffer = Buffer.alloc(0);
  #lastId = 0;
  #isCorked = false;

  constructor(stream: Duplex, local: Methods) {
    this.#stream = stream;
    this.#local = local;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.closed = promise;
    stream.on("data", (chunk: Buffer) => this.#receive(chunk));
    // The end of the other process can show as an error, too; `close` follows.
    stream.on("error", () => {});
    stream.once("end", () => stream.destroy());
    stream.once("close", () => {
      for (const { reject } of this.#pending.values()) reject(new Error("the other process has ended"));
      this.#pending.clear();
      resolve();
    });
  }

  /** Rejects when the method throws, or when the other process ends first. */
  call<Name extends keyof Remote & string>(name: Name, data: DataOf<Remote, Name>): Promise<ResultOf<Remote, Name>> {
    this.#lastId += 1;
    const id = this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    if (this.#stream.destroyed) reject(new Error("the other process has ended"));
    else {
      this.#pending.set(id, { resolve, reject });
      this.#send(["call", name, data, id]);
    }
    return promise as Promise<ResultOf<Remote, Name>>;
  }

  /** Does nothing when the other process has ended. */
  tell<Name extends keyof Remote & string>(name: Name, data: DataOf<Remote, Name>): void {
    if (!this.#stream.destroyed) this.#send(["tell", name, data]);
  }

  close(): void {
    this.#stream.destroy();
  }

  /** The messages of one turn of the event loop are one write. */
  #send(frame: Frame): void {
    if (!this.#isCorked) {
      this.#isCorked = true;
      this.#stream.cork();
      setImmediate(() => {
        this.#isCorked = false;
        this.#stream.uncork();
      });
    }
    this.#stream.write(encodeFrame(frame, frame[2]));
  }

  #receive(chunk: Buffer): void {
    let rest = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    while (rest.length >= HEAD_BYTES) {
      const end = HEAD_BYTES + rest.readUInt32LE(0);
      if (rest.length < end) break;
      const frame = decodeFrame(rest.subarray(0, end)) as Frame;
      rest = rest.subarray(end);
      this.#take(frame);
    }
    this.#received = rest;
  }

  #take(frame: Frame): void {
    if (frame[0] === "tell") void this.#run(frame[1], frame[2]);
    else if (frame[0] === "call") this.#answer(frame[1], frame[2], frame[3]);
    else {
      const [kind, id, value] = frame;
      const pending = this.#pending.get(id);
      this.#pending.delete(id);
      if (kind === "result") pending?.resolve(value);
      else pending?.reject(new Error(String(value)));
    }
  }

  #run(name: string, data: unknown): unknown {
    const method = this.#local[name];
    if (method === undefined) throw new Error(`there is no method ${name}`);
    return method(data as never);
  }

  /** A result that is known at once is sent at once, without a promise. */
  #answer(name: string, data: unknown, id: number): void {
    const fail = (error: unknown): void =>
      this.#reply(["error", id, error instanceof Error ? error.message : String(error)]);
    try {
      const result = this.#run(name, data);
      if (result instanceof Promise) result.then((value) => this.#reply(["result", id, value]), fail);
      else this.#reply(["result", id, result]);
    } catch (error) {
      fail(error);
    }
  }

  #reply(frame: Frame): void {
    if (!this.#stream.destroyed) this.#send(frame);
  }
}

/**
 * `data` is the part of the frame that decides its format: most messages are small and flat, for which JSON takes a fifth of the
 * time of `v8.serialize`.
 */
function encodeFrame(frame: readonly unknown[], data: unknown): Buffer {
  if (isFlat(data)) {
    const text = JSON.stringify(frame);
    const size = Buffer.byteLength(text);
    const encoded = createHead(size, JSON_FORMAT);
    encoded.write(text, HEAD_BYTES);
    return encoded;
  }
  const content = v8.serialize(frame);
  const encoded = createHead(content.length, V8_FORMAT);
  content.copy(encoded, HEAD_BYTES);
  return encoded;
}

function decodeFrame(encoded: Buffer): unknown {
  return encoded[FORMAT_OFFSET] === JSON_FORMAT
    ? JSON.parse(encoded.toString("utf8", HEAD_BYTES))
    : v8.deserialize(encoded.subarray(HEAD_BYTES));
}

function createHead(size: number, format: number): Buffer {
  const encoded = Buffer.allocUnsafe(HEAD_BYTES + size);
  encoded.writeUInt32LE(size);
  encoded.writeUInt8(format, FORMAT_OFFSET);
  return encoded;
}

/** Whether JSON keeps the value as it is. */
function isFlat(value: unknown): boolean {
  if (isScalar(value)) return true;
  if (typeof value !== "object" || Object.getPrototypeOf(value) !== Object.prototype) return false;
  return Object.values(value as object).every(isScalar);
}

function isScalar(value: unknown): boolean {
  switch (typeof value) {
    case "string":
      return value.isWellFormed();
    case "boolean":
      return true;
    case "number":
      return Number.isFinite(value);
    default:
      return value === null;
  }
}
