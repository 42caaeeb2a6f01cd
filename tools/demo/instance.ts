import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

export interface Instance {
  readonly dataDir: string;
  readonly url: string;
  readonly caFile: string;
  readonly startedInMs: number;
}

const START_TIMEOUT_MS = 90_000;
const STOP_TIMEOUT_MS = 20_000;
const POLL_MS = 50;

const SETTINGS = {
  PORT: "0",
  LOG_LEVEL: "warn",
  // Slow enough to be visible.
  SIMULATED_FIRST_TOKEN_MS: "100",
  SIMULATED_TOKENS_PER_SECOND: "60",
  WEBHOOK_RETRY_SCHEDULE: "0,1",
};

/** A service with its own folder; both are removed when `use` ends, successfully or not. */
export async function withInstance<T>(
  root: string,
  signal: AbortSignal,
  use: (instance: Instance) => Promise<T>,
): Promise<T> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "swarmbase-demo-")));
  try {
    // As root the database runs under another account, which must be able to enter the folder.
    await chmod(folder, 0o711);
    return await runIn(folder, root, signal, use);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function runIn<T>(
  dataDir: string,
  root: string,
  signal: AbortSignal,
  use: (instance: Instance) => Promise<T>,
): Promise<T> {
  const startedAtMs = performance.now();
  const child = spawn(process.execPath, ["-C", "swarmbase-source", "server/bin/swarmbase.js", "serve"], {
    cwd: root,
    // Does not inherit the environment, so that the user's database and provider keys are not used.
    env: {
      PATH: process.env["PATH"],
      ...SETTINGS,
      DATA_DIR: dataDir,
      // As under npm, the service stops when this process dies without stopping it.
      npm_lifecycle_event: "demo",
    },
    stdio: ["ignore", "pipe", "pipe"],
    // Ctrl-C on a terminal signals only this process, which stops the service when it no longer needs it.
    detached: true,
  });
  const ended = once(child, "exit");
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  try {
    for (const deadline = Date.now() + START_TIMEOUT_MS; !output.includes(" is running "); await wait(POLL_MS)) {
      signal.throwIfAborted();
      if (child.exitCode !== null) throw new Error(`the service ended at its start:\n${output}`);
      if (Date.now() > deadline) throw new Error(`the service was not up in time:\n${output}`);
    }
    const credentials = await readCredentials(dataDir);
    return await use({ dataDir, ...credentials, startedInMs: performance.now() - startedAtMs });
  } finally {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
      await ended;
      clearTimeout(timer);
    }
  }
}

async function readCredentials(dataDir: string): Promise<{ url: string; caFile: string }> {
  const { url } = JSON.parse(await readFile(join(dataDir, "credentials.json"), "utf8")) as { url: string };
  const caFile = join(dataDir, "tls", "ca-cert.pem");
  if (!existsSync(caFile)) throw new Error("the service has made no certificate authority");
  return { url, caFile };
}
