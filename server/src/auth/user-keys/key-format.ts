import { hash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

const PREFIX = "sk_";
const SECRET_BYTES = 32;
const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** 256 bits and 32 bits in base 62. */
const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
const FORM = new RegExp(`^${PREFIX}[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}$`);
const SHOWN_LENGTH = PREFIX.length + 6;

export interface NewUserKey {
  readonly key: string;
  readonly hash: Buffer;
  /** The part that stays readable. */
  readonly prefix: string;
}

/** The checksum lets scanners tell a leaked key from other text without asking the service. */
export function makeUserKey(): NewUserKey {
  const secret = PREFIX + encode(BigInt(`0x${randomBytes(SECRET_BYTES).toString("hex")}`), SECRET_LENGTH);
  const key = secret + checksumOf(secret);
  return { key, hash: hashUserKey(key), prefix: key.slice(0, SHOWN_LENGTH) };
}

export function isUserKey(bearer: string): boolean {
  return bearer.startsWith(PREFIX);
}

/** Detects mistyped and cut keys before the database is asked. */
export function isWellFormedKey(key: string): boolean {
  return FORM.test(key) && key.endsWith(checksumOf(key.slice(0, -CHECKSUM_LENGTH)));
}

/**
 * A plain hash is enough, other than for passwords: a key has 256 random bits, so nobody can find it by guessing, and the hash
 * is the index by which it is looked up.
 */
export function hashUserKey(key: string): Buffer {
  return hash("sha256", key, "buffer");
}

function checksumOf(text: string): string {
  return encode(BigInt(crc32(text)), CHECKSUM_LENGTH);
}

function encode(value: bigint, length: number): string {
  let text = "";
  for (let rest = value; text.length < length; rest /= 62n) text = (DIGITS[Number(rest % 62n)] ?? "") + text;
  return text;
}
