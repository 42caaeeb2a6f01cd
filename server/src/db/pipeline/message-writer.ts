const INITIAL_BYTES = 16 * 1024;
const KEPT_BYTES = 1024 * 1024;
// A unit of a JavaScript string takes at most three bytes.
const BYTES_PER_UNIT = 3;

const SYNC = Buffer.from("S\0\0\0\x04", "latin1");
// The unnamed portal, all rows.
const EXECUTE = Buffer.from("E\0\0\0\x09\0\0\0\0\0", "latin1");

/**
 * Messages to the server, one after the other in one piece of memory: the driver's own writer makes a buffer of each,
 * and copies and writes them one by one. Values and results travel as text.
 */
export class MessageWriter {
  #buffer = Buffer.allocUnsafe(INITIAL_BYTES);
  #at = 0;

  /** Forgets what was left by a writing that failed half-way. */
  start(): void {
    this.#at = 0;
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

  /** A copy: the socket may hold on to it while the next flight is written. */
  take(): Buffer {
    const taken = Buffer.from(this.#buffer.subarray(0, this.#at));
    if (this.#buffer.length > KEPT_BYTES) this.#buffer = Buffer.allocUnsafe(INITIAL_BYTES);
    return taken;
  }

  #begin(code: string): number {
    this.#reserve(5);
    this.#buffer[this.#at] = code.charCodeAt(0);
    this.#at += 5;
    return this.#at - 4;
  }

  #end(start: number): void {
    this.#buffer.writeInt32BE(this.#at - start, start);
  }

  #addValue(value: string | null): void {
    this.#reserve(4);
    const lengthAt = this.#at;
    this.#at += 4;
    if (value !== null) this.#addString(value);
    this.#buffer.writeInt32BE(value === null ? -1 : this.#at - lengthAt - 4, lengthAt);
  }

  #addText(text: string): void {
    this.#addString(text);
    this.#reserve(1);
    this.#buffer[this.#at] = 0;
    this.#at += 1;
  }

  #addString(text: string): void {
    this.#reserve(text.length * BYTES_PER_UNIT);
    this.#at += this.#buffer.write(text, this.#at, "utf8");
  }

  #addBytes(bytes: Buffer): void {
    this.#reserve(bytes.length);
    this.#at += bytes.copy(this.#buffer, this.#at);
  }

  #addInt16(value: number): void {
    this.#reserve(2);
    this.#buffer.writeUInt16BE(value, this.#at);
    this.#at += 2;
  }

  #reserve(count: number): void {
    const needed = this.#at + count;
    if (needed <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#buffer.length * 2));
    this.#buffer.copy(larger, 0, 0, this.#at);
    this.#buffer = larger;
  }
}
