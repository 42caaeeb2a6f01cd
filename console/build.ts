// Builds the console unless the build is up to date. Prints progress, then "ready <folder>", which the service reads.
import { resolve } from "node:path";
import { buildOnce } from "./build/build-once.ts";

try {
  const folder = await buildOnce({
    root: resolve(import.meta.dirname),
    write: (line) => void process.stdout.write(`${line}\n`),
  });
  process.stdout.write(`ready ${folder}\n`);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
