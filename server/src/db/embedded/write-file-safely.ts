import { randomBytes } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";

/** Readers see the old text or the new, also after a power cut; a symbolic link at the path is replaced, not followed. */
export async function writeFileSafely(path: string, text: string, mode: number): Promise<void> {
  const temporary = `${path}.new-${randomBytes(6).toString("hex")}`;
  try {
    const file = await open(temporary, "wx", mode);
    try {
      // Said again because a strict umask takes bits away.
      await file.chmod(mode);
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (fault) {
    await rm(temporary, { force: true });
    throw fault;
  }
  await syncFolder(dirname(path));
}

/** Makes renames inside a folder survive a power cut. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open folders.
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
