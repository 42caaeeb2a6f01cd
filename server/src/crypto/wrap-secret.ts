import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

// version (1 byte) | nonce (12) | tag (16) | ciphertext
const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + NONCE_BYTES + TAG_BYTES;
const KEY_BYTES = 32;
const ALGORITHM = "aes-256-gcm";

/** Wrong key, wrong context or changed bytes, which are indistinguishable by design. */
export class UnwrapError extends Error {
  override readonly name = "UnwrapError";
}

/** `context` names the secret and its owner; a wrapped secret that is moved to another row cannot be decrypted. */
export function wrapSecret(key: Buffer, plain: Buffer, context: string): Buffer {
  requireKeyLength(key);
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(authenticatedHeader(VERSION, context));
  const ciphertext = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), ciphertext]);
}

export function unwrapSecret(key: Buffer, wrapped: Buffer, context: string): Buffer {
  requireKeyLength(key);
  const version = wrapped[0];
  if (version === undefined || wrapped.length < HEADER_BYTES) throw new UnwrapError("the wrapped secret is too short");
  if (version !== VERSION)
    throw new UnwrapError(`the wrapped secret has version ${version}, this program knows ${VERSION}`);
  const nonce = wrapped.subarray(1, 1 + NONCE_BYTES);
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(authenticatedHeader(version, context));
  decipher.setAuthTag(wrapped.subarray(1 + NONCE_BYTES, HEADER_BYTES));
  try {
    return Buffer.concat([decipher.update(wrapped.subarray(HEADER_BYTES)), decipher.final()]);
  } catch (cause) {
    throw new UnwrapError("the wrapped secret does not open with this key", { cause });
  }
}

function authenticatedHeader(version: number, context: string): Buffer {
  return Buffer.concat([Buffer.of(version), Buffer.from(context, "utf8")]);
}

function requireKeyLength(key: Buffer): void {
  if (key.length !== KEY_BYTES) throw new RangeError(`a wrapping key has ${KEY_BYTES} bytes, this one ${key.length}`);
}
