import { hash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

/** Keys that people create, and the access tokens of programs that they have let in. */
const PREFIXES = { key: "sk_", access: "oat_" } as const;
const SECRET_BYTES = 32;
const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** 256 bits and 32 bits in base 62. */
const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
const FORM = new RegExp(`^(?:${Object.values(PREFIXES).join("|")})[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}$`);
const SHOWN_LENGTH = PREFIXES.key.length + 6;

interface NewUserKey {
  readonly key: string;
  readonly hash: Buffer;
  /** The part that stays readable. */
  readonly prefix: string;
}

export function makeUserKey(): NewUserKey {
  const key = formatKey(PREFIXES.key, randomBytes(SECRET_BYTES));
  return { key, hash: hashUserKey(key), prefix: key.slice(0, SHOWN_LENGTH) };
}

/** The checksum lets scanners tell a leaked key from other text without asking the service. */
export function formatKey(prefix: (typeof PREFIXES)[keyof typeof PREFIXES], secret: Buffer): string {
  const signed = prefix + encode(BigInt(`0x${secret.toString("hex")}`), SECRET_LENGTH);
  return signed + checksumOf(signed);
}

export function isUserKey(bearer: string): boolean {
  return Object.values(PREFIXES).some((prefix) => bearer.startsWith(prefix));
}

/** Whether the key is the access token of a program. */
export function isProgramKey(bearer: string): boolean {
  return bearer.startsWith(PREFIXES.access);
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
