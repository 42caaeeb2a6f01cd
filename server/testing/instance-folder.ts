import { chmod, mkdtemp, readdir, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const PREFIX = "swarmbase-instance-";

/** A new folder for a data directory. Folders of processes that were killed are removed first. */
export async function makeInstanceFolder(): Promise<string> {
  const parent = tmpdir();
  await removeAbandoned(parent).catch(() => {});
  const folder = await realpath(await mkdtemp(join(parent, `${PREFIX}${process.pid}-`)));
  // As root the database runs under another account, which must be able to enter the folder.
  await chmod(folder, 0o711);
  return folder;
}

export async function removeInstanceFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

async function removeAbandoned(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    if (!name.startsWith(PREFIX)) continue;
    const pid = Number.parseInt(name.slice(PREFIX.length), 10);
    if (pid > 1 && !isAlive(pid)) await removeInstanceFolder(join(parent, name));
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}
