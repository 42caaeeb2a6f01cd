/** Reads the fields of a replication protocol message in order. */
export class WireReader {
  readonly #bytes: Buffer;
  #at: number;

  constructor(bytes: Buffer, at = 0) {
    this.#bytes = bytes;
    this.#at = at;
  }

  byte(): number {
    const value = this.#bytes.readUInt8(this.#at);
    this.#at += 1;
    return value;
  }

  int16(): number {
    const value = this.#bytes.readInt16BE(this.#at);
    this.#at += 2;
    return value;
  }

  int32(): number {
    const value = this.#bytes.readInt32BE(this.#at);
    this.#at += 4;
    return value;
  }

  /** For oids. */
  uint32(): number {
    const value = this.#bytes.readUInt32BE(this.#at);
    this.#at += 4;
    return value;
  }

  int64(): bigint {
    const value = this.#bytes.readBigInt64BE(this.#at);
    this.#at += 8;
    return value;
  }

  /** A zero-terminated string. */
  name(): string {
    const end = this.#bytes.indexOf(0, this.#at);
    if (end === -1) throw new RangeError("a name in the replication stream has no end");
    const text = this.#bytes.toString("utf8", this.#at, end);
    this.#at = end + 1;
    return text;
  }

  text(length: number): string {
    const text = this.#bytes.toString("utf8", this.#at, this.#at + length);
    this.#at += length;
    return text;
  }

  /** Copies, because the driver reuses its buffer. */
  bytes(length: number): Buffer {
    const bytes = Buffer.from(this.#bytes.subarray(this.#at, this.#at + length));
    this.#at += length;
    return bytes;
  }
}
