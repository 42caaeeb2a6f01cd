import { randomBytes } from "node:crypto";
import { link, open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

const OWNER_ONLY = 0o600;

/** Replaces a file atomically, also across a power failure. A symbolic link at the path is replaced, not followed. */
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

/** Returns false, and changes nothing, when the file exists. Exactly one of several concurrent calls returns true. */
export async function createSecretFile(path: string, text: string): Promise<boolean> {
  const draft = await writeDraft(path, text, OWNER_ONLY);
  try {
    // Unlike a rename, a link never replaces a file that was created meanwhile.
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
    // Set again, because a strict umask removes bits.
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

/** Makes renames within a folder durable. */
export async function syncFolder(path: string): Promise<void> {
  // Windows cannot sync a folder, and need not.
  if (process.platform === "win32") return;
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
