#!/usr/bin/env node
import { spawn } from "node:child_process";
import { createInterface } from "node:readline/promises";
import { run } from "./index.ts";

function runNpm(folder: string, ...args: readonly string[]): Promise<number> {
  return new Promise((resolve) => {
    const npm = spawn("npm", args, { cwd: folder, stdio: "inherit", shell: process.platform === "win32" });
    npm.on("error", () => resolve(1));
    npm.on("close", (code) => resolve(code ?? 1));
  });
}

process.exitCode = await run(process.argv.slice(2), {
  folder: process.cwd(),
  write: (text) => process.stdout.write(text),
  writeError: (text) => process.stderr.write(text),
  install: async (folder) => (await runNpm(folder, "install")) === 0,
  ask: async (question) => {
    if (!process.stdin.isTTY || !process.stdout.isTTY) return false;
    const lines = createInterface({ input: process.stdin, output: process.stdout });
    // Ctrl-C and the end of the input close it without an answer.
    const closed = new Promise<string>((resolve) => lines.once("close", () => resolve("no")));
    const answer = await Promise.race([lines.question(question), closed]);
    lines.close();
    return /^(?:y(?:es)?)?$/i.test(answer.trim());
  },
  start: (folder) => {
    // Ctrl-C is for the app, which stops all its processes first.
    process.on("SIGINT", () => {});
    return runNpm(folder, "run", "dev");
  },
});
