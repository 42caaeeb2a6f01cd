const BLOCK_BYTES = 512;
const NAME_BYTES = 100;
const PREFIX_BYTES = 155;
const CHECKSUM_AT = 148;
const TYPE_AT = 156;
const FIRST_PRINTABLE = 0x20;
const BACKSLASH = 0x5c;

export interface TarEntry {
  /** Relative, with slashes. */
  readonly path: string;
  readonly kind: "file" | "folder";
  readonly sizeBytes: number;
  readonly mode: number;
  /** Must be read to its end before the next entry. */
  readonly content: AsyncIterable<Buffer>;
}

export class ArchiveError extends Error {
  override readonly name = "ArchiveError";
}

export function renderTarHeader(entry: Omit<TarEntry, "content">, modifiedAtSeconds: number): Buffer {
  const block = Buffer.alloc(BLOCK_BYTES);
  const { prefix, name } = splitPath(entry.kind === "folder" ? `${entry.path}/` : entry.path);
  block.write(name, 0);
  writeOctal(block, 100, 8, entry.mode & 0o7777);
  writeOctal(block, 108, 8, 0);
  writeOctal(block, 116, 8, 0);
  writeOctal(block, 124, 12, entry.sizeBytes);
  writeOctal(block, 136, 12, Math.floor(modifiedAtSeconds));
  block.write(entry.kind === "folder" ? "5" : "0", TYPE_AT);
  block.write("ustar\u000000", 257);
  block.write(prefix, 345);
  writeOctal(block, CHECKSUM_AT, 7, sumOf(block));
  block.write(" ", CHECKSUM_AT + 7);
  return block;
}

/** Pads the last block of a file. */
export function tarPadding(sizeBytes: number): Buffer {
  return Buffer.alloc((BLOCK_BYTES - (sizeBytes % BLOCK_BYTES)) % BLOCK_BYTES);
}

export const TAR_END = Buffer.alloc(2 * BLOCK_BYTES);

/** Accepts files and folders below the root of the archive only; rejects everything else. */
export async function* readTar(source: AsyncIterable<Buffer>): AsyncGenerator<TarEntry> {
  const bytes = new ByteSource(source);
  for (;;) {
    const header = await bytes.take(BLOCK_BYTES);
    if (header === null || header.every((byte) => byte === 0)) break;
    const head = parseHeader(header);
    let isRead = false;
    const content = async function* (): AsyncGenerator<Buffer> {
      yield* bytes.chunks(head.sizeBytes);
      await bytes.skip(tarPadding(head.sizeBytes).length);
      isRead = true;
    };
    yield { ...head, content: content() };
    if (!isRead && head.sizeBytes > 0) throw new ArchiveError("an entry of the archive was not read to its end");
  }
  // The rest must be read too: the checksum of a compressed stream comes last.
  await bytes.drain();
}

function parseHeader(block: Buffer): Omit<TarEntry, "content"> {
  const given = readOctal(block, CHECKSUM_AT, 8);
  const blanked = Buffer.from(block);
  if (given !== sumOf(blanked)) throw new ArchiveError("the archive is damaged: the checksum of a header is wrong");
  const name = readText(block, 0, NAME_BYTES);
  const prefix = readText(block, 257, 5) === "ustar" ? readText(block, 345, PREFIX_BYTES) : "";
  const path = (prefix === "" ? name : `${prefix}/${name}`).replace(/^\.\//, "").replace(/\/$/, "");
  requireInside(path);
  const type = readText(block, TYPE_AT, 1);
  if (type !== "" && type !== "0" && type !== "5") {
    throw new ArchiveError(`the archive contains an entry that is neither a file nor a folder: ${path}`);
  }
  const kind = type === "5" ? "folder" : "file";
  return { path, kind, sizeBytes: kind === "folder" ? 0 : readOctal(block, 124, 12), mode: readOctal(block, 100, 8) };
}

function requireInside(path: string): void {
  const parts = path.split("/");
  const hasOddCharacter = Buffer.from(path).some((byte) => byte < FIRST_PRINTABLE || byte === BACKSLASH);
  const isOdd = path === "" || hasOddCharacter || /^[a-z]:/i.test(path) || parts.some((part) => /^\.{0,2}$/.test(part));
  if (isOdd) throw new ArchiveError(`the archive contains a path that is not allowed: ${JSON.stringify(path)}`);
}

function splitPath(path: string): { prefix: string; name: string } {
  if (Buffer.byteLength(path) <= NAME_BYTES) return { prefix: "", name: path };
  for (let at = path.indexOf("/"); at !== -1; at = path.indexOf("/", at + 1)) {
    const [prefix, name] = [path.slice(0, at), path.slice(at + 1)];
    if (name !== "" && Buffer.byteLength(name) <= NAME_BYTES && Buffer.byteLength(prefix) <= PREFIX_BYTES) {
      return { prefix, name };
    }
  }
  throw new ArchiveError(`the path is too long for an archive: ${path}`);
}

function sumOf(block: Buffer): number {
  let sum = 0;
  for (const [at, byte] of block.entries()) sum += at >= CHECKSUM_AT && at < CHECKSUM_AT + 8 ? 32 : byte;
  return sum;
}

function writeOctal(block: Buffer, at: number, width: number, value: number): void {
  const digits = value.toString(8).padStart(width - 1, "0");
  if (digits.length >= width) throw new ArchiveError(`the number ${value} is too large for an archive`);
  block.write(`${digits}\0`, at);
}

function readOctal(block: Buffer, at: number, width: number): number {
  const text = readText(block, at, width).trim();
  if (!/^[0-7]+$/.test(text)) throw new ArchiveError("the archive is damaged: a number is missing in a header");
  return Number.parseInt(text, 8);
}

function readText(block: Buffer, at: number, width: number): string {
  const field = block.subarray(at, at + width);
  const end = field.indexOf(0);
  return field.subarray(0, end === -1 ? width : end).toString();
}

/** Reads chunks of any size in the requested sizes. */
class ByteSource {
  readonly #source: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** Null at the end. */
  async take(sizeBytes: number): Promise<Buffer | null> {
    const parts: Buffer[] = [];
    for await (const chunk of this.chunks(sizeBytes, true)) parts.push(chunk);
    return parts.length === 0 ? null : Buffer.concat(parts);
  }

  async *chunks(sizeBytes: number, mayEndBefore = false): AsyncGenerator<Buffer> {
    let missing = sizeBytes;
    while (missing > 0) {
      if (this.#rest.length === 0) {
        const next = await this.#source.next();
        if (next.done === true) {
          if (mayEndBefore && missing === sizeBytes) return;
          throw new ArchiveError("the archive is cut off");
        }
        this.#rest = next.value;
        continue;
      }
      const chunk = this.#rest.subarray(0, missing);
      this.#rest = this.#rest.subarray(chunk.length);
      missing -= chunk.length;
      yield chunk;
    }
  }

  async skip(sizeBytes: number): Promise<void> {
    for await (const _ of this.chunks(sizeBytes));
  }

  async drain(): Promise<void> {
    while ((await this.#source.next()).done !== true);
  }
}
