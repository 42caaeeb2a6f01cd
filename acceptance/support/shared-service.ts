import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { WAIT_MS } from "./eventually.ts";

const POLL_MS = 50;

/**
 * The data directory of a service that files of a run share, or null if it could not be started. The first process
 * calls `start`; the service must outlive that process, and the end of the run finds its process id in a file that ends
 * in ".pid".
 */
export async function findSharedService(
  name: string,
  start: (name: string, folder: string, pidFile: string) => Promise<void>,
): Promise<string | null> {
  const runFolder = process.env["SWARMBASE_TEST_RUN"] ?? "";
  if (runFolder === "" || process.platform === "win32") return null;
  const folder = join(runFolder, name);
  const readyFile = join(runFolder, `${name}.ready`);
  const isFirst = await mkdir(folder, { mode: 0o711 }).then(
    () => true,
    () => false,
  );
  if (isFirst) {
    // An empty file tells waiting processes that the start failed.
    const found = await start(name, folder, join(runFolder, `${name}.pid`)).then(
      () => folder,
      () => "",
    );
    await writeFile(readyFile, found);
  }
  for (const deadline = Date.now() + WAIT_MS; Date.now() < deadline; await wait(POLL_MS)) {
    if (await stat(readyFile).catch(() => null)) break;
  }
  const found = await readFile(readyFile, "utf8").catch(() => "");
  return found === "" ? null : found;
}
