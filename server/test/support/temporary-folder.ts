import { chmod, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Cleanup } from "./database.ts";

/** Passable for others: as root, the database runs under another account and would move out of a folder it cannot enter. */
export async function createTemporaryFolder(t: Cleanup, prefix: string): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), prefix)));
  await chmod(folder, 0o711);
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
