import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

const WAIT_MS = 90_000;
const POLL_MS = 50;

/** Where the process that shares itself with the whole run leaves its id. Whoever ends the run looks for such names. */
export const SHARED_PROCESS_FILE = "service.pid";

/**
 * The credentials file of the one service that files of a run have in common, or null where there is none to be had. `start`
 * is called in the one process that comes first; what it starts has to outlive that process.
 */
export async function findSharedService(start: (folder: string) => Promise<string>): Promise<string | null> {
  const runFolder = process.env["SWARMBASE_TEST_RUN"] ?? "";
  if (runFolder === "" || process.platform === "win32") return null;
  const folder = join(runFolder, "service");
  const readyFile = join(runFolder, "service.ready");
  const isFirst = await mkdir(folder, { mode: 0o711 }).then(
    () => true,
    () => false,
  );
  if (isFirst) {
    // An empty file tells those who wait that nothing came of it.
    const credentialsFile = await start(folder).catch(() => "");
    await writeFile(readyFile, credentialsFile);
  }
  for (const deadline = Date.now() + WAIT_MS; Date.now() < deadline; await wait(POLL_MS)) {
    if (await stat(readyFile).catch(() => null)) break;
  }
  const credentialsFile = await readFile(readyFile, "utf8").catch(() => "");
  return credentialsFile === "" ? null : credentialsFile;
}
