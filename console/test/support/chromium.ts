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
 * Returns the path of Chromium, which is unpacked once for all runs. The package unpacks into the temporary folder, where another
 * process could start an incomplete file, so this unpacks into a separate folder and renames it.
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
    // Another process was faster.
    if (!existsSync(program)) throw error;
  } finally {
    await rm(own, { recursive: true, force: true });
  }
  return program;
}
