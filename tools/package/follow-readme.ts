import { execFile, spawn } from "node:child_process";
import { mkdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { findFreePort } from "../../server/test/support/free-port.ts";
import { interrupt, type PackedRelease, readOutput } from "./packed-release.ts";

const SHELL_BLOCK = /^```sh\n([\s\S]*?)^```$/gm;
const CREATE = "npm run create-app ../my-app";
const START_APP = "npm run dev";
/** The first two are run with the first page of the guides. */
const KNOWN: ReadonlySet<string> = new Set(["npm ci", "npm start", CREATE, "cd ../my-app", START_APP]);
const APP_ADDRESS = /Local: +(http:\/\/localhost:\d+)/;

/** The commands of the shell blocks of the README. Throws if there is one that a release does not run. */
export function listReadmeCommands(page: string): readonly string[] {
  const commands = [...page.matchAll(SHELL_BLOCK)].flatMap(([, text = ""]) => text.trim().split("\n"));
  const unknown = commands.filter((command) => !KNOWN.has(command));
  if (unknown.length > 0) throw new Error(`README.md has commands that a release does not run: ${unknown.join(", ")}`);
  return commands;
}

/** Creates the app of the README from the packed packages, and starts it until its page is served. */
export async function followReadme(release: PackedRelease, root: string): Promise<void> {
  const commands = listReadmeCommands(await readFile(join(root, "README.md"), "utf8"));
  const folder = await release.makeProject("readme");
  // npm would run the program that an earlier release has installed.
  const cache = join(release.folder, "npm-cache");
  await mkdir(cache);
  await release.give(cache);
  const env = { ...release.environment(dirname(process.execPath)), npm_config_cache: cache };
  if (commands.includes(CREATE))
    await promisify(execFile)("npm", ["create", "--yes", "swarmbase", "my-app"], {
      cwd: folder,
      env,
      ...release.account,
    });
  if (!commands.includes(START_APP)) return;
  const args = ["run", "dev", "--", "--port", String(await findFreePort())];
  const app = spawn("npm", args, { cwd: join(folder, "my-app"), env, detached: true, ...release.account });
  try {
    const [, address = ""] = await readOutput(app)(APP_ADDRESS);
    const { status } = await fetch(address);
    if (status !== 200) throw new Error(`the page of the new app has the status ${status}`);
  } finally {
    await interrupt(app);
  }
}
