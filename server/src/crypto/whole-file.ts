import { randomBytes } from "node:crypto";
import { link, open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

const OWNER_ONLY = 0o600;

/**
 * A reader, or a power cut, meets the old text or the new one and nothing between. A symbolic link at the path is replaced,
 * not followed.
 */
export async function replaceFile(path: string, text: string, mode: number = OWNER_ONLY): Promise<void> {
  const draft = await writeDraft(path, text, mode);
  try {
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
}

/** Answers false, and changes nothing, when the file is already there. Of several at once, exactly one gets true. */
export async function createSecretFile(path: string, text: string): Promise<boolean> {
  const draft = await writeDraft(path, text, OWNER_ONLY);
  try {
    // Unlike a rename, a link never takes the place of a file that somebody else made meanwhile.
    await link(draft, path);
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
  await syncFolder(dirname(path));
  return true;
}

export function errorCode(error: unknown): string | undefined {
  const code: unknown = error instanceof Error ? Reflect.get(error, "code") : undefined;
  return typeof code === "string" ? code : undefined;
}

async function writeDraft(path: string, text: string, mode: number): Promise<string> {
  const draft = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString("hex")}`);
  const file = await open(draft, "wx", mode);
  try {
    // Said again because a strict umask takes bits away.
    await file.chmod(mode);
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

/** Makes renames inside a folder survive a power cut. */
export async function syncFolder(path: string): Promise<void> {
  // Windows can neither open nor sync a folder, and does not need to.
  if (process.platform === "win32") return;
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
