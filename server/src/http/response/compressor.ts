import { availableParallelism } from "node:os";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip, zstdCompress } from "node:zlib";
import { acceptsCoding } from "../request/negotiation.ts";
import type { Compressed } from "../route-reply.ts";

/** Below it, a body fits into the packets that a new connection may send at once, and compression takes longer than it saves. */
export const MIN_COMPRESSED_BYTES = 16 * 1024;
/** Bounds the time that one body takes. */
const MAX_COMPRESSED_BYTES = 4 * 1024 * 1024;
/** Threads of the pool that other work needs too; a body that finds none free is sent as it is. */
const MAX_JOBS = Math.min(2, Math.ceil(availableParallelism() / 2));
/** The prefix of the secrets of webhooks, which rows of `webhooks` contain. */
const SECRET_MARK = "whsec_";

type Compress = (body: Buffer) => Promise<Buffer>;

/** The preferred one first. Each has its fastest level: the next ones take up to five times as long for a tenth less. */
const CODINGS: readonly (readonly [name: string, compress: Compress])[] = [
  ["zstd", (body) => zstdAsync(body, { chunkSize: body.length, params: { [constants.ZSTD_c_compressionLevel]: 1 } })],
  ["br", (body) => brotliAsync(body, { chunkSize: body.length, params: brotliParams(body.length) })],
  ["gzip", (body) => gzipAsync(body, { chunkSize: body.length, level: constants.Z_BEST_SPEED })],
];

const zstdAsync = promisify(zstdCompress);
const brotliAsync = promisify(brotliCompress);
const gzipAsync = promisify(gzip);

function brotliParams(length: number): Record<number, number> {
  return { [constants.BROTLI_PARAM_QUALITY]: 1, [constants.BROTLI_PARAM_SIZE_HINT]: length };
}

/** Compresses bodies in the thread pool, a few at a time. */
export class Compressor {
  #jobs = 0;

  async compress(acceptEncoding: string, body: Buffer): Promise<Compressed | null> {
    if (body.length > MAX_COMPRESSED_BYTES || this.#jobs >= MAX_JOBS) return null;
    const [coding, run] = CODINGS.find(([name]) => acceptsCoding(acceptEncoding, name)) ?? [null, null];
    // The size of a compressed body tells whether its parts repeat each other, and so something about a secret in it.
    if (coding === null || body.includes(SECRET_MARK)) return null;
    this.#jobs += 1;
    try {
      const bytes = await run(body);
      return bytes.length < body.length ? { coding, bytes } : null;
    } catch {
      // Without memory for it, for example. The response itself is complete.
      return null;
    } finally {
      this.#jobs -= 1;
    }
  }
}
