import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { type Instance, withInstance } from "./demo/instance.ts";
import { createNarrator } from "./demo/narrator.ts";

const PARENT_CHECK_MS = 250;

const root = resolve(`${import.meta.dirname}/..`);
const ending = new AbortController();
const narrator = createNarrator(process.stdout, 1);

function endOnSignals(): void {
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, () => ending.abort());
  // npm's shell handles the signal itself. When the shell is gone, the signal to npm was meant for this process.
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid !== parent) ending.abort();
  }, PARENT_CHECK_MS);
  watch.unref();
  // The reader of the output has gone, so there is nobody to print to.
  process.stdout.on("error", () => ending.abort());
}

/** A separate process, which trusts the authority of the instance from its start, as clients do. */
async function walk({ dataDir, caFile }: Instance): Promise<boolean> {
  const child = spawn(process.execPath, ["-C", "swarmbase-source", "tools/walk-demo.ts", dataDir], {
    cwd: root,
    env: { ...process.env, NODE_EXTRA_CA_CERTS: caFile },
    stdio: ["ignore", "inherit", "inherit"],
  });
  const stop = () => child.kill("SIGTERM");
  ending.signal.addEventListener("abort", stop, { once: true });
  if (ending.signal.aborted) stop();
  const [code] = (await once(child, "exit")) as [number | null];
  return code === 0;
}

async function run(): Promise<number> {
  const startedAtMs = performance.now();
  narrator.line("The main features of Swarmbase, on a temporary instance.");
  narrator.line(
    "Client: unmodified @supabase/supabase-js. No model is configured, so replies are simulated and begin with [simulated].",
  );
  narrator.step("Start", "npm start, with a data directory in the temporary folder and any free port");
  const isGood = await withInstance(root, ending.signal, async (instance) => {
    narrator.line(`${instance.url}  PostgreSQL, keys and certificate created in ${seconds(instance.startedInMs)}`);
    return walk(instance);
  });
  if (ending.signal.aborted) return 0;
  if (!isGood) return 1;
  narrator.line(`Service stopped, folder removed. The demo took ${seconds(performance.now() - startedAtMs)}.`);
  narrator.line("Start your own with npm start. README.md explains each step.");
  return 0;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

endOnSignals();
try {
  process.exitCode = await run();
} catch (error) {
  if (!ending.signal.aborted) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
if (ending.signal.aborted) narrator.line("Stopped. The instance was removed.");
