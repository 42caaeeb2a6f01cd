import { existsSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { buildOnce } from "../console/build/build-once.ts";
import { listFirstLoad, type Manifest } from "./console/first-load.ts";

/** The maximum compressed size of the files of a first visit. A test in the browser adds headers and rows: 180 KiB in all. */
const BUDGET_BYTES = 178 * 1024;
const ALWAYS = ["console/theme.js", "console/starting.css", "console/mark.svg"];
const VISITS: Readonly<Record<string, readonly string[]>> = {
  "signed out": ["src/pages/entry/entry-layout.tsx", "src/pages/entry/sign-in.tsx"],
  "home, signed in": ["src/app/shell.tsx", "src/pages/home/index.tsx"],
};

const root = resolve(import.meta.dirname, "../console");
const folder = await buildOnce({ root, write: () => {} });
const manifest = JSON.parse(await readFile(join(folder, "manifest.json"), "utf8")) as Manifest;
for (const [visit, sources] of Object.entries(VISITS)) {
  let bytes = 0;
  for (const file of [...listFirstLoad(manifest, sources), ...ALWAYS]) bytes += await weigh(join(folder, file));
  const kilobytes = Math.round(bytes / 1024);
  if (bytes > BUDGET_BYTES) process.exitCode = 1;
  console.log(`${visit}: ${kilobytes} KB compressed, of at most ${BUDGET_BYTES / 1024} KB`);
}

async function weigh(file: string): Promise<number> {
  const squeezed = `${file}.br`;
  return (await stat(existsSync(squeezed) ? squeezed : file)).size;
}
