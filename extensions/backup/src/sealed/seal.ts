import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

/*
 * A sealed stream: magic (4 bytes), id of the key (8), salt (16), then frames. Each frame is AES-256-GCM over FRAME_BYTES of
 * plaintext, the last one over 0 to FRAME_BYTES. The nonce is the number of the frame and, in its last byte, whether the frame is
 * the last one; so frames that are removed, moved or repeated, and a stream that is cut off, fail to open. The key of a stream is
 * derived from its salt and its name: a stream under the name of another one does not open either.
 */
const MAGIC = Buffer.from("SWB1");
const KEY_ID_BYTES = 8;
const SALT_BYTES = 16;
const HEADER_BYTES = MAGIC.length + KEY_ID_BYTES + SALT_BYTES;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const LAST_AT = NONCE_BYTES - 1;
const FRAME_NUMBER_BYTES = 6;
const FRAME_NUMBER_AT = LAST_AT - FRAME_NUMBER_BYTES;
const ALGORITHM = "aes-256-gcm";
export const FRAME_BYTES = 64 * 1024;

/** The bytes were changed or cut off, belong to another name, or were sealed with another key. */
export class SealError extends Error {
  override readonly name = "SealError";
}

/** The stream names another key than the given one. */
export class OtherKeyError extends SealError {}

/** Encrypts a stream. `name` identifies it, and opens it again. */
export async function* seal(key: Buffer, name: string, source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const salt = randomBytes(SALT_BYTES);
  yield Buffer.concat([MAGIC, idOf(key), salt]);
  const streamKey = keyOf(key, salt, name);
  let number = 0;
  for await (const [plain, isLast] of inFrames(source, FRAME_BYTES)) {
    const cipher = createCipheriv(ALGORITHM, streamKey, nonceOf(number, isLast), { authTagLength: TAG_BYTES });
    yield Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    number += 1;
  }
}

/** Decrypts a stream. What it yields is authentic; the stream is complete only when it ends without an error. */
export async function* unseal(key: Buffer, name: string, source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const { header, rest } = await readHeader(source);
  if (!header.subarray(0, MAGIC.length).equals(MAGIC)) throw new SealError(`${name} is no file of a backup`);
  if (!header.subarray(MAGIC.length, MAGIC.length + KEY_ID_BYTES).equals(idOf(key)))
    throw new OtherKeyError(`${name} was encrypted with another master key. Set MASTER_KEY to the one of that time.`);
  const streamKey = keyOf(key, header.subarray(HEADER_BYTES - SALT_BYTES), name);
  let number = 0;
  for await (const [frame, isLast] of inFrames(rest, FRAME_BYTES + TAG_BYTES)) {
    if (frame.length < TAG_BYTES) throw damagedError(name);
    const decipher = createDecipheriv(ALGORITHM, streamKey, nonceOf(number, isLast), { authTagLength: TAG_BYTES });
    decipher.setAuthTag(frame.subarray(frame.length - TAG_BYTES));
    let plain: Buffer;
    try {
      plain = Buffer.concat([decipher.update(frame.subarray(0, frame.length - TAG_BYTES)), decipher.final()]);
    } catch (cause) {
      throw damagedError(name, cause);
    }
    number += 1;
    yield plain;
  }
}

function damagedError(name: string, cause?: unknown): SealError {
  return new SealError(`${name} is damaged: its content was changed or cut off`, { cause });
}

/** Reveals nothing about the key, and tells a wrong key from damage. */
function idOf(key: Buffer): Buffer {
  return Buffer.from(hkdfSync("sha256", key, "", "swarmbase/backup/key-id", KEY_ID_BYTES));
}

function keyOf(key: Buffer, salt: Buffer, name: string): Buffer {
  return Buffer.from(hkdfSync("sha256", key, salt, `swarmbase/backup/stream:${name}`, KEY_BYTES));
}

function nonceOf(number: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(NONCE_BYTES);
  nonce.writeUIntBE(number, FRAME_NUMBER_AT, FRAME_NUMBER_BYTES);
  nonce[LAST_AT] = isLast ? 1 : 0;
  return nonce;
}

async function readHeader(
  source: AsyncIterable<Buffer>,
): Promise<{ readonly header: Buffer; readonly rest: AsyncIterable<Buffer> }> {
  const chunks = source[Symbol.asyncIterator]();
  let read: Buffer = Buffer.alloc(0);
  while (read.length < HEADER_BYTES) {
    const next = await chunks.next();
    if (next.done === true) break;
    read = Buffer.concat([read, next.value]);
  }
  const rest = async function* (): AsyncGenerator<Buffer> {
    try {
      yield read.subarray(HEADER_BYTES);
      for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) yield next.value;
    } finally {
      await chunks.return?.();
    }
  };
  return { header: read.subarray(0, HEADER_BYTES), rest: rest() };
}

/** Frames of exactly `size` bytes, and a last one of up to `size`, which is empty only when the source is. */
async function* inFrames(
  source: AsyncIterable<Buffer>,
  size: number,
): AsyncGenerator<readonly [frame: Buffer, isLast: boolean]> {
  let parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of source) {
    let rest = chunk;
    // A full frame is held until more follows, because only then it is known not to be the last.
    while (length + rest.length > size) {
      yield [Buffer.concat([...parts, rest.subarray(0, size - length)]), false];
      rest = rest.subarray(size - length);
      [parts, length] = [[], 0];
    }
    parts.push(rest);
    length += rest.length;
  }
  yield [Buffer.concat(parts), true];
}
