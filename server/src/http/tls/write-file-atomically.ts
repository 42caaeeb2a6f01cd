import { open, rename } from "node:fs/promises";
import { dirname } from "node:path";

/** The file has the old content or the new one, never a part, whenever the machine stops. */
export async function writeFileAtomically(file: string, content: string, mode: number): Promise<void> {
  const temporary = `${file}.tmp`;
  const handle = await open(temporary, "w", mode);
  try {
    // The mode given to open() is ignored for a file that an interrupted start has left.
    await handle.chmod(mode);
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporary, file);
  await syncFolder(dirname(file));
}

async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open a folder; there the rename alone has to do.
  const handle = await open(folder, "r").catch(() => null);
  if (handle === null) return;
  try {
    await handle.sync();
  } catch {
    // Some file systems refuse to sync a folder.
  } finally {
    await handle.close();
  }
}
