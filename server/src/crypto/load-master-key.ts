import { createHash, timingSafeEqual } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { newMasterKey } from "./master-key.ts";
import { createSecretFile, errorCode } from "./whole-file.ts";

const FILE_NAME = "master.key";

class MasterKeyFileError extends Error {
  override readonly name = "MasterKeyFileError";
}

interface LoadMasterKeyOptions {
  readonly dataDir: string;
  /** The key of the operator. It is never written to disk. */
  readonly given: string | null;
  /** Whether a new key may be created. It could not decrypt anything that an earlier key encrypted. */
  readonly mayCreate: boolean;
}

export async function loadMasterKey({ dataDir, given, mayCreate }: LoadMasterKeyOptions): Promise<string> {
  const path = join(dataDir, FILE_NAME);
  const stored = await readMasterKey(path);
  if (given !== null) {
    if (stored !== null && !isSame(given, stored)) {
      throw new MasterKeyFileError(
        `MASTER_KEY is not the key this data directory was made with (${path}). Unset MASTER_KEY, or set the right one.`,
      );
    }
    return given;
  }
  if (stored !== null) return stored;
  if (!mayCreate) {
    throw new MasterKeyFileError(
      `${path} is missing, and only that key opens the database in this directory. Put the file back, or set MASTER_KEY to its content.`,
    );
  }
  const made = newMasterKey();
  if (await createSecretFile(path, `${made}\n`)) return made;
  const madeByAnother = await readMasterKey(path);
  if (madeByAnother === null) throw new MasterKeyFileError(`${path} disappeared while it was being read.`);
  return madeByAnother;
}

async function readMasterKey(path: string): Promise<string | null> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return null;
    throw new MasterKeyFileError(`${path} cannot be read (${errorCode(error) ?? "unknown reason"}).`, { cause: error });
  }
  const key = text.trim();
  if (key === "") throw new MasterKeyFileError(`${path} is empty. Put its content back, or set MASTER_KEY to it.`);
  return key;
}

function isSame(a: string, b: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
