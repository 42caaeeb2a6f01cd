import { randomBytes } from "node:crypto";
import { once } from "node:events";
import net from "node:net";

const KEPT_BYTES = 256;

/**
 * A client that only searches for texts in the received bytes, so that the cost of reading frames does not hide that of
 * writing them.
 */
export class BareSocket {
  readonly socket: net.Socket;
  #sought: string | null = null;
  #onSeen: (text: string) => void = () => {};
  #tail = "";

  private constructor(socket: net.Socket) {
    this.socket = socket;
    socket.on("data", (chunk: Buffer) => this.#onData(chunk));
    socket.on("error", () => {});
  }

  /** Resolves when the join succeeds. */
  static async open(port: number, token: string | null): Promise<BareSocket> {
    const socket = net.connect({ port, host: "127.0.0.1", noDelay: true });
    await once(socket, "connect");
    const bare = new BareSocket(socket);
    socket.write(
      "GET /realtime/v1/websocket?apikey=bench&vsn=2.0.0 HTTP/1.1\r\nhost: localhost\r\nconnection: Upgrade\r\nupgrade: websocket\r\n" +
        `sec-websocket-version: 13\r\nsec-websocket-key: ${randomBytes(16).toString("base64")}\r\n\r\n`,
    );
    await bare.seek("\r\n\r\n");
    const config = { postgres_changes: [{ event: "UPDATE", schema: "public", table: "agents" }] };
    const join = ["1", "1", "realtime:bench", "phx_join", { config, access_token: token }];
    socket.write(frameOf(JSON.stringify(join)));
    const answer = await bare.seek('"status":');
    if (!answer.includes('"ok"')) throw new Error(`not joined: ${answer}`);
    return bare;
  }

  /** Resolves with the data that arrived in the same chunk. */
  seek(text: string): Promise<string> {
    return new Promise((resolve) => {
      this.#tail = "";
      this.#sought = text;
      this.#onSeen = resolve;
    });
  }

  onChunk(listen: (text: string) => void): void {
    this.socket.on("data", (chunk: Buffer) => listen(chunk.toString("latin1")));
  }

  close(): void {
    this.socket.destroy();
  }

  #onData(chunk: Buffer): void {
    if (this.#sought === null) return;
    const text = this.#tail + chunk.toString("latin1");
    if (text.includes(this.#sought)) {
      this.#sought = null;
      this.#onSeen(text);
    } else {
      this.#tail = text.slice(-KEPT_BYTES);
    }
  }
}

/** A masked text frame, as clients must send them. */
function frameOf(text: string): Buffer {
  const payload = Buffer.from(text);
  if (payload.length > 0xffff) throw new RangeError("too long for this");
  const length =
    payload.length < 126 ? [0x80 | payload.length] : [0x80 | 126, payload.length >> 8, payload.length & 255];
  // A mask of zeros leaves the payload unchanged.
  return Buffer.concat([Buffer.from([0x81, ...length, 0, 0, 0, 0]), payload]);
}
