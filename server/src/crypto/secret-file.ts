import { randomBytes } from "node:crypto";
import { link, open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

const OWNER_ONLY = 0o600;

/** Replaces the file as a whole: a reader, or a power cut, meets the old text or the new one and nothing between. */
export async function writeSecretFile(path: string, text: string): Promise<void> {
  const draft = await writeDraft(path, text);
  try {
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  await syncDirectory(dirname(path));
}

/** Answers false, and changes nothing, when the file is already there. Of several at once, exactly one gets true. */
export async function createSecretFile(path: string, text: string): Promise<boolean> {
  const draft = await writeDraft(path, text);
  try {
    // Unlike a rename, a link never takes the place of a file that somebody else made meanwhile.
    await link(draft, path);
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
  await syncDirectory(dirname(path));
  return true;
}

export function errorCode(error: unknown): string | undefined {
  const code: unknown = error instanceof Error ? Reflect.get(error, "code") : undefined;
  return typeof code === "string" ? code : undefined;
}

async function writeDraft(path: string, text: string): Promise<string> {
  const draft = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString("hex")}`);
  const file = await open(draft, "wx", OWNER_ONLY);
  try {
    await file.writeFile(text);
    await file.sync();
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  } finally {
    await file.close();
  }
  return draft;
}

async function syncDirectory(path: string): Promise<void> {
  // Windows can neither open nor sync a directory, and does not need to.
  if (process.platform === "win32") return;
  const directory = await open(path, "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
