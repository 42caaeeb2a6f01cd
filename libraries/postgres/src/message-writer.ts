const INITIAL_BYTES = 16 * 1024;
const KEPT_BYTES = 1024 * 1024;
// A UTF-16 code unit takes at most three bytes in UTF-8.
const BYTES_PER_UNIT = 3;

const SYNC = Buffer.from("S\0\0\0\x04", "latin1");
// The unnamed portal, all rows.
const EXECUTE = Buffer.from("E\0\0\0\x09\0\0\0\0\0", "latin1");

/**
 * Writes messages to the server into one buffer: the driver's own writer allocates, copies and writes each message. Values
 * and results are in text format.
 */
export class MessageWriter {
  #buffer = Buffer.allocUnsafe(INITIAL_BYTES);
  #offset = 0;

  /** Discards what a failed write left behind. */
  start(): void {
    this.#offset = 0;
  }

  parse(name: string, text: string): void {
    const start = this.#begin("P");
    this.#addText(name);
    this.#addText(text);
    // No types: the server infers them.
    this.#addInt16(0);
    this.#end(start);
  }

  bind(name: string, values: readonly (string | null)[]): void {
    const start = this.#begin("B");
    this.#addText("");
    this.#addText(name);
    this.#addInt16(0);
    this.#addInt16(values.length);
    for (const value of values) this.#addValue(value);
    this.#addInt16(0);
    this.#end(start);
  }

  execute(): void {
    this.#addBytes(EXECUTE);
  }

  closeStatement(name: string): void {
    const start = this.#begin("C");
    this.#addText(`S${name}`);
    this.#end(start);
  }

  query(text: string): void {
    const start = this.#begin("Q");
    this.#addText(text);
    this.#end(start);
  }

  sync(): void {
    this.#addBytes(SYNC);
  }

  /** A copy: the socket may still hold it while the next transaction is written. */
  take(): Buffer {
    const taken = Buffer.from(this.#buffer.subarray(0, this.#offset));
    if (this.#buffer.length > KEPT_BYTES) this.#buffer = Buffer.allocUnsafe(INITIAL_BYTES);
    return taken;
  }

  #begin(code: string): number {
    this.#reserve(5);
    this.#buffer[this.#offset] = code.charCodeAt(0);
    this.#offset += 5;
    return this.#offset - 4;
  }

  #end(start: number): void {
    this.#buffer.writeInt32BE(this.#offset - start, start);
  }

  #addValue(value: string | null): void {
    this.#reserve(4);
    const lengthOffset = this.#offset;
    this.#offset += 4;
    if (value !== null) this.#addString(value);
    this.#buffer.writeInt32BE(value === null ? -1 : this.#offset - lengthOffset - 4, lengthOffset);
  }

  #addText(text: string): void {
    this.#addString(text);
    this.#reserve(1);
    this.#buffer[this.#offset] = 0;
    this.#offset += 1;
  }

  #addString(text: string): void {
    this.#reserve(text.length * BYTES_PER_UNIT);
    this.#offset += this.#buffer.write(text, this.#offset, "utf8");
  }

  #addBytes(bytes: Buffer): void {
    this.#reserve(bytes.length);
    this.#offset += bytes.copy(this.#buffer, this.#offset);
  }

  #addInt16(value: number): void {
    this.#reserve(2);
    this.#buffer.writeUInt16BE(value, this.#offset);
    this.#offset += 2;
  }

  #reserve(count: number): void {
    const needed = this.#offset + count;
    if (needed <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#buffer.length * 2));
    this.#buffer.copy(larger, 0, 0, this.#offset);
    this.#buffer = larger;
  }
}
