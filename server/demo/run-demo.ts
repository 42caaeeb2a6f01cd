import { spawn } from "node:child_process";
import { once } from "node:events";
import { extname, join } from "node:path";
import { makeInstanceFolder, removeInstanceFolder } from "../testing/instance-folder.ts";
import { type Credentials, runInstance } from "../testing/run-instance.ts";
import { createNarrator } from "./narrator.ts";

export interface DemoOptions {
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean };
  readonly signal: AbortSignal;
}

const EXTENSION = extname(import.meta.filename);
const WALK = [
  ...(EXTENSION === ".ts" ? ["-C", "swarmbase-source"] : []),
  join(import.meta.dirname, `walk-demo${EXTENSION}`),
];

const SETTINGS = {
  PORT: "0",
  LOG_LEVEL: "warn",
  PROVIDER_DETECTION: "false",
  // Slow enough to be visible.
  SIMULATED_FIRST_TOKEN_DELAY_MS: "100",
  SIMULATED_TOKENS_PER_SECOND: "60",
  WEBHOOK_RETRY_SCHEDULE: "0,1",
};

/** Walks through the main features on an instance of its own, which it removes. Returns the exit code. */
export async function runDemo({ stdout, signal: given }: DemoOptions): Promise<number> {
  // When the reader of the output has gone, there is nobody to print to.
  const closed = new AbortController();
  stdout.on("error", () => closed.abort());
  const signal = AbortSignal.any([given, closed.signal]);
  const narrator = createNarrator(stdout, 1);
  const startedAtMs = performance.now();
  narrator.line("One agent serves every customer in private, on a temporary instance.");
  narrator.line(
    "Client: unmodified @supabase/supabase-js. No model is configured, so replies are simulated and begin with [simulated].",
  );
  narrator.step("Start", "swarmbase serve, with a data directory in the temporary folder and any free port");
  const dataDir = await makeInstanceFolder();
  let isGood = false;
  try {
    let instance = await runInstance({ dataDir, settings: SETTINGS, signal });
    const { credentials } = instance;
    /** Returns how long the new start took. */
    const restart = async (): Promise<string> => {
      await instance.kill();
      const killedAtMs = performance.now();
      const settings = { ...SETTINGS, PORT: new URL(credentials.url).port };
      instance = await runInstance({ dataDir, settings, signal });
      return seconds(performance.now() - killedAtMs);
    };
    try {
      const took = seconds(performance.now() - startedAtMs);
      narrator.line(`${credentials.url}  PostgreSQL, keys and certificate created in ${took}`);
      isGood = await walk(dataDir, { credentials, signal, restart });
    } finally {
      await instance.stop();
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    await removeInstanceFolder(dataDir);
  }
  if (signal.aborted) {
    narrator.line("Stopped. The instance was removed.");
    return 0;
  }
  if (!isGood) return 1;
  narrator.line(`Service stopped, folder removed. The demo took ${seconds(performance.now() - startedAtMs)}.`);
  narrator.line("Start your own with swarmbase serve. README.md explains each step.");
  return 0;
}

/** A separate process, which trusts the authority of the instance from its start, as clients do. */
async function walk(
  dataDir: string,
  { credentials, signal, restart }: { credentials: Credentials; signal: AbortSignal; restart: () => Promise<string> },
): Promise<boolean> {
  const stop = () => child.kill("SIGTERM");
  const child = spawn(process.execPath, [...WALK, dataDir], {
    env: { ...process.env, NODE_EXTRA_CA_CERTS: credentials.ca_cert_file },
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  // Its only message asks for a kill of the service.
  child.on("message", () => {
    restart().then((took) => child.send(took), stop);
  });
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  const [code] = (await once(child, "exit")) as [number | null];
  return code === 0;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
