import { StringDecoder } from "node:string_decoder";

const MAX_BODY_BYTES = 65_536;

/** The first MAX_BODY_BYTES of a response body. */
export class ResponseBody {
  readonly #chunks: Buffer[] = [];
  #size = 0;
  #isTruncated = false;

  get isTruncated(): boolean {
    return this.#isTruncated;
  }

  add(chunk: Buffer): void {
    const left = MAX_BODY_BYTES - this.#size;
    if (chunk.length > left) this.#isTruncated = true;
    if (left <= 0) return;
    this.#chunks.push(chunk.length > left ? chunk.subarray(0, left) : chunk);
    this.#size = Math.min(MAX_BODY_BYTES, this.#size + chunk.length);
  }

  /** Valid UTF-8 without NUL, at most MAX_BODY_BYTES, so that PostgreSQL can store it. */
  toText(): string {
    const [first, ...rest] = this.#chunks;
    if (first === undefined) return "";
    const bytes = rest.length === 0 ? first : Buffer.concat(this.#chunks, this.#size);
    const text = (this.#isTruncated ? decodeWholeCharacters(bytes) : bytes.toString("utf8")).replaceAll("\0", "");
    // Each invalid byte becomes a replacement character of three bytes.
    const isTooLong = text.length * 3 > MAX_BODY_BYTES && Buffer.byteLength(text) > MAX_BODY_BYTES;
    return isTooLong ? decodeWholeCharacters(Buffer.from(text).subarray(0, MAX_BODY_BYTES)) : text;
  }
}

function decodeWholeCharacters(bytes: Buffer): string {
  return new StringDecoder("utf8").write(bytes);
}
