import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

const PACKAGE = "@sparticuz/chromium";
const { devDependencies } = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8")) as {
  devDependencies: Readonly<Record<string, string>>;
};
const FOLDER = resolve(import.meta.dirname, `../../../node_modules/.cache/chromium-${devDependencies[PACKAGE]}`);
const UNPACK = join(import.meta.dirname, "unpack-chromium.ts");

/**
 * The program, unpacked once and for all runs. The package unpacks in place into the folder for temporary files, where a second
 * process would start what the first is still writing; so it does that in a folder of its own, which is then renamed.
 */
export async function unpackChromium(): Promise<string> {
  const program = join(FOLDER, "chromium");
  if (existsSync(program)) return program;
  const own = `${FOLDER}.${process.pid}`;
  await mkdir(own, { recursive: true });
  try {
    await promisify(execFile)(process.execPath, [UNPACK], { env: { ...process.env, TMPDIR: own } });
    await rename(own, FOLDER);
  } catch (error) {
    // Somebody else was first.
    if (!existsSync(program)) throw error;
  } finally {
    await rm(own, { recursive: true, force: true });
  }
  return program;
}
