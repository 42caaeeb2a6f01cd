/** Reads the fields of a replication protocol message in order. */
export class WireReader {
  readonly #bytes: Buffer;
  #offset = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  byte(): number {
    return this.#bytes.readUInt8(this.#skip(1));
  }

  int16(): number {
    return this.#bytes.readInt16BE(this.#skip(2));
  }

  int32(): number {
    return this.#bytes.readInt32BE(this.#skip(4));
  }

  /** For oids. */
  uint32(): number {
    return this.#bytes.readUInt32BE(this.#skip(4));
  }

  int64(): bigint {
    return this.#bytes.readBigInt64BE(this.#skip(8));
  }

  /** A zero-terminated string. */
  name(): string {
    const end = this.#bytes.indexOf(0, this.#offset);
    if (end === -1) throw new RangeError("a name in the replication stream has no end");
    const text = this.text(end - this.#offset);
    this.#offset += 1;
    return text;
  }

  text(length: number): string {
    return this.#bytes.toString("utf8", this.#skip(length), this.#offset);
  }

  /** Copies, because the driver reuses its buffer. */
  bytes(length: number): Buffer {
    return Buffer.from(this.#bytes.subarray(this.#skip(length), this.#offset));
  }

  /** Returns the offset of the field. */
  #skip(length: number): number {
    const offset = this.#offset;
    this.#offset += length;
    return offset;
  }
}
