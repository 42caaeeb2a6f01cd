import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, stat } from "node:fs/promises";
import { extname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

/** As in the file `credentials.json` of a data directory. */
export interface Credentials {
  readonly url: string;
  readonly anon_key: string;
  readonly service_role_key: string;
  readonly ca_cert_file: string;
  readonly database_url: string;
}

export interface RunningInstance {
  readonly credentials: Credentials;
  stop(): Promise<void>;
  /** Ends the service as a crash does. */
  kill(): Promise<void>;
}

export interface RunInstanceOptions {
  readonly dataDir: string;
  /** Settings of the service. */
  readonly settings: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

const LAUNCHER = join(import.meta.dirname, "../bin/swarmbase.js");
const OPTIONS = extname(import.meta.filename) === ".ts" ? ["-C", "swarmbase-source"] : [];
/** The rest of the environment may have a database, keys of providers or options of Node.js that are not meant for this service. */
const INHERITED = ["PATH", "HOME", "TMPDIR", "TEMP", "TMP", "SystemRoot"];
const START_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 20_000;
const POLL_MS = 10;
const MAX_OUTPUT_CHARACTERS = 20_000;

/** Starts the service in another process and waits until it serves. The service ends when this process has ended. */
export async function runInstance({ dataDir, settings, signal }: RunInstanceOptions): Promise<RunningInstance> {
  const startedAtMs = Date.now();
  const child = spawn(process.execPath, [...OPTIONS, LAUNCHER, "serve"], {
    env: {
      ...Object.fromEntries(INHERITED.map((name) => [name, process.env[name]])),
      WORKERS: "1",
      ...settings,
      DATA_DIR: dataDir,
      // As below npm, the service watches its parent process and ends with it.
      npm_lifecycle_event: "swarmbase",
    },
    stdio: ["ignore", "pipe", "pipe"],
    // Ctrl-C on a terminal signals only this process, which stops the service when it no longer needs it.
    detached: true,
    windowsHide: true,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => (output = (output + chunk.toString()).slice(-MAX_OUTPUT_CHARACTERS)));
  const faults: Error[] = [];
  child.on("error", (error) => faults.push(error));
  try {
    for (const deadline = Date.now() + START_TIMEOUT_MS; ; await wait(POLL_MS)) {
      signal?.throwIfAborted();
      for (const fault of faults) throw fault;
      if (hasEnded(child)) throw new Error(`the service ended while it started:\n${output}`);
      if (Date.now() > deadline) throw new Error(`the service did not start in time:\n${output}`);
      const credentials = await readCredentials(dataDir, startedAtMs);
      if (credentials !== null) return { credentials, stop: () => stop(child), kill: () => kill(child) };
    }
  } catch (error) {
    await stop(child);
    throw error;
  }
}

/** Null until the service accepts connections. It replaces the file as a whole; one that was killed has left its own. */
async function readCredentials(dataDir: string, startedAtMs: number): Promise<Credentials | null> {
  const path = join(dataDir, "credentials.json");
  const text = await readFile(path, "utf8").catch(() => null);
  if (text === null || (await stat(path)).mtimeMs < startedAtMs) return null;
  return JSON.parse(text) as Credentials;
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || hasEnded(child)) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || hasEnded(child)) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
  await ended;
  clearTimeout(timer);
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}
