import { spawn } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";
import { planTestRun } from "./test-run.ts";

const root = resolve(`${import.meta.dirname}/..`);
const args = planTestRun(root, process.argv.slice(2));
if (args === null) {
  console.error("no test file found");
  process.exitCode = 1;
} else {
  // Hundreds of processes load the same modules, each in half the time where they come compiled. The product uses this folder too.
  const { NODE_COMPILE_CACHE = join(root, "node_modules/.cache/swarmbase") } = process.env;
  const env = { ...process.env, NODE_COMPILE_CACHE };
  const child = spawn(process.execPath, args, { cwd: root, stdio: "inherit", env });
  // Left to live until the tests have taken down what the global set-up started.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill(signal));
  const [code] = (await once(child, "exit")) as [number | null];
  process.exitCode = code ?? 1;
}
