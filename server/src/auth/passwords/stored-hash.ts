import { randomBytes } from "node:crypto";
import { type ParsedHashOptions, parseOptions } from "@node-rs/argon2";
import { authError } from "../auth-error.ts";

export interface HashParameters {
  readonly memoryKib: number;
  readonly iterations: number;
  readonly parallelism: number;
}

const BCRYPT = /^\$2[aby]\$(0[4-9]|[12]\d|3[01])\$[./A-Za-z0-9]{53}$/;
const ARGON2 =
  /^\$argon2(id|i|d)\$(v=(16|19)\$)?m=\d{1,10},t=\d{1,10},p=\d{1,3}\$[A-Za-z0-9+/]{11,86}\$[A-Za-z0-9+/]{16,86}$/;

// Every sign-in pays for an imported hash until it is renewed, so hashes that take minutes are rejected.
const MAX_BCRYPT_COST = 15;
const MAX_MEMORY_KIB = 1_048_576;
const MAX_ITERATIONS = 32;
const MAX_PARALLELISM = 16;

/** The lengths that the library uses for new hashes. */
const SALT_BYTES = 16;
const OUTPUT_BYTES = 32;

/** Returns a hash with these parameters that no known password matches. Verifying it takes as long as verifying any other. */
export function createUnmatchedHash({ memoryKib, iterations, parallelism }: HashParameters): string {
  const [salt, output] = [SALT_BYTES, OUTPUT_BYTES].map((length) =>
    randomBytes(length).toString("base64").replaceAll("=", ""),
  );
  return `$argon2id$v=19$m=${memoryKib},t=${iterations},p=${parallelism}$${salt}$${output}`;
}

export function isBcrypt(hash: string): boolean {
  return hash.startsWith("$2");
}

/** Whether the hash uses other parameters than new ones. */
export function shouldRehash(hash: string, wanted: HashParameters): boolean {
  if (!hash.startsWith("$argon2id$v=19$")) return true;
  const { memoryCost, timeCost, parallelism } = parseOptions(hash);
  return memoryCost !== wanted.memoryKib || timeCost !== wanted.iterations || parallelism !== wanted.parallelism;
}

/** Validates a hash of another system far enough that a sign-in can use it. */
export function parseImportedHash(text: string): string {
  if (isBcrypt(text)) {
    const cost = BCRYPT.exec(text)?.[1];
    if (cost === undefined) throw invalidHash("it is not a bcrypt hash");
    if (Number(cost) > MAX_BCRYPT_COST) throw invalidHash(`its cost is above ${MAX_BCRYPT_COST}`);
    return text;
  }
  if (!ARGON2.test(text)) throw invalidHash("it is neither a bcrypt hash nor an argon2 hash in PHC form");
  const { memoryCost, timeCost, parallelism } = parseArgon2(text);
  if (memoryCost > MAX_MEMORY_KIB || timeCost > MAX_ITERATIONS || parallelism > MAX_PARALLELISM) {
    throw invalidHash("its parameters ask for too much memory or time");
  }
  if (timeCost < 1 || parallelism < 1 || memoryCost < 8 * parallelism)
    throw invalidHash("its parameters are not possible");
  return text;
}

function parseArgon2(text: string): ParsedHashOptions {
  try {
    return parseOptions(text);
  } catch (cause) {
    throw invalidHash("it is not an argon2 hash in PHC form", cause);
  }
}

function invalidHash(reason: string, cause?: unknown): Error {
  return authError("validation_failed", `password_hash cannot be imported: ${reason}`, { cause });
}
