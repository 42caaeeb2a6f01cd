#!/usr/bin/env node
import { run } from "./index.ts";

process.exitCode = await run(process.argv.slice(2), {
  folder: process.cwd(),
  write: (text) => process.stdout.write(text),
  writeError: (text) => process.stderr.write(text),
});
