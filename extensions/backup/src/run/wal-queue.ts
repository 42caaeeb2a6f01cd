import type { WalChunk } from "./wal-stream.ts";

/** Received WAL that is not stored yet. */
export class WalQueue {
  readonly #chunks: Buffer[] = [];
  #start: bigint;
  #bytes = 0;

  constructor(start: bigint) {
    this.#start = start;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The position after the last received byte. */
  get end(): bigint {
    return this.#start + BigInt(this.#bytes);
  }

  push({ content }: WalChunk): void {
    this.#chunks.push(content);
    this.#bytes += content.length;
  }

  /** Up to so many bytes from the front; null when there are none. */
  take(maxBytes: number): { readonly start: bigint; readonly content: Buffer } | null {
    if (this.#bytes === 0) return null;
    const parts: Buffer[] = [];
    let taken = 0;
    while (taken < maxBytes) {
      const [first] = this.#chunks;
      if (first === undefined) break;
      const part = first.subarray(0, maxBytes - taken);
      if (part.length === first.length) this.#chunks.shift();
      else this.#chunks[0] = first.subarray(part.length);
      parts.push(part);
      taken += part.length;
    }
    const start = this.#start;
    this.#start += BigInt(taken);
    this.#bytes -= taken;
    return { start, content: Buffer.concat(parts) };
  }
}
