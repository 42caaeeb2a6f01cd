import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, open, readFile, rm, stat, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { fillDataDir } from "../../../server/test/support/used-data-dir.ts";
import { WAIT_MS } from "../../../server/test/support/wait-limit.ts";
import { findFreePort } from "../../../server/test/support/free-port.ts";

/** The contents of `credentials.json`. */
interface Credentials {
  readonly url: string;
  readonly anon_key: string;
  readonly service_role_key: string;
  /** Of the role that owns the schema. */
  readonly database_url: string;
}

export interface Instance extends Credentials {
  /** Mails are files in `<dataDir>/mail`. */
  readonly dataDir: string;
  stop(): Promise<void>;
}

export type InstanceSettings = Readonly<Record<string, string>>;

const ROOT = resolve(import.meta.dirname, "../../..");
const PROGRAM = ["-C", "swarmbase-source", "server/bin/swarmbase.js"];
const POLL_MS = 50;
const DEFAULT_SETTINGS: InstanceSettings = {
  NODE_ENV: "test",
  PROVIDER_DETECTION: "false",
  WORKERS: "1",
  LOG_LEVEL: "warn",
  CONSOLE_ENABLED: "true",
  AUTH_PASSWORD_MEMORY_KIB: "8192",
  AUTH_PASSWORD_ITERATIONS: "1",
  AUTH_MAIL_INTERVAL_SECONDS: "0",
  AGENT_LIMIT_PER_USER: "200",
  LIMIT_API: "0",
  LIMIT_AUTH: "0",
  LIMIT_AI: "0",
  LIMIT_TOOLS: "0",
  LIMIT_WEBHOOKS: "0",
};

/**
 * A real service with the console and without rate limits: the one whose credentials file `CONSOLE_CREDENTIALS` names, or one that
 * all files of a test run share. With settings, starts a separate instance.
 */
export async function startInstance(settings: InstanceSettings = {}): Promise<Instance> {
  const given = process.env["CONSOLE_CREDENTIALS"] ?? "";
  if (given !== "") return { ...(await readCredentials(given)), dataDir: resolve(given, ".."), stop: async () => {} };
  const runFolder = process.env["SWARMBASE_TEST_RUN"] ?? "";
  const isShareable = Object.keys(settings).length === 0 && runFolder !== "" && process.platform !== "win32";
  return isShareable ? findShared(runFolder) : startOwn(settings);
}

async function startOwn(settings: InstanceSettings): Promise<Instance> {
  const folder = await mkdtemp(join(tmpdir(), "swarmbase-console-"));
  await chmod(folder, 0o711);
  const dataDir = join(folder, "data");
  await mkdir(dataDir, { mode: 0o711 });
  await fillDataDir(dataDir);
  const child = await launch(dataDir, settings, null);
  const stop = async (): Promise<void> => {
    await end(child);
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  };
  try {
    return { ...(await waitUntilUp(dataDir, child)), dataDir, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The first caller of a test run starts the instance. The test runner ends it by the process id in the ".pid" file. */
async function findShared(runFolder: string): Promise<Instance> {
  const dataDir = join(runFolder, "console");
  const readyFile = join(runFolder, "console.ready");
  const isFirst = await mkdir(dataDir, { mode: 0o711 }).then(
    () => true,
    () => false,
  );
  if (isFirst) {
    const log = await open(join(runFolder, "console.log"), "a");
    try {
      await fillDataDir(dataDir);
      const child = await launch(dataDir, {}, log.fd);
      await writeFile(join(runFolder, "console.pid"), String(child.pid));
      await waitUntilUp(dataDir, child);
      await writeFile(readyFile, "");
    } finally {
      await log.close();
    }
  }
  for (const deadline = Date.now() + WAIT_MS; Date.now() < deadline; await wait(POLL_MS)) {
    if ((await stat(readyFile).catch(() => null)) === null) continue;
    return { ...(await readCredentials(join(dataDir, "credentials.json"))), dataDir, stop: async () => {} };
  }
  throw new Error("the shared instance did not start");
}

async function launch(dataDir: string, settings: InstanceSettings, logFd: number | null): Promise<ChildProcess> {
  const ports = { PORT: String(await findFreePort()), EMBEDDED_PORT: String(await findFreePort()) };
  const child = spawn(process.execPath, [...PROGRAM, "serve"], {
    cwd: ROOT,
    env: { PATH: process.env["PATH"], HOME: tmpdir(), ...DEFAULT_SETTINGS, ...ports, DATA_DIR: dataDir, ...settings },
    stdio: ["ignore", logFd ?? "ignore", logFd ?? "inherit"],
    detached: logFd !== null,
  });
  if (logFd !== null) child.unref();
  return child;
}

/** Runs a command of the program on the data directory of the instance. */
export async function runCommand({ dataDir }: Instance, ...args: readonly string[]): Promise<void> {
  const env = { PATH: process.env["PATH"], HOME: tmpdir(), DATA_DIR: dataDir };
  await promisify(execFile)(process.execPath, [...PROGRAM, ...args], { cwd: ROOT, env });
}

/** Waits until the page is served, which the first start has to build. */
async function waitUntilUp(dataDir: string, child: ChildProcess): Promise<Credentials> {
  for (const deadline = Date.now() + WAIT_MS; Date.now() < deadline; await wait(POLL_MS)) {
    if (child.exitCode !== null) throw new Error(`the service ended at start with code ${child.exitCode}`);
    const credentials = await readCredentials(join(dataDir, "credentials.json")).catch(() => null);
    if (credentials !== null && (await getStatus(`${credentials.url}/`).catch(() => 0)) === 200) return credentials;
  }
  throw new Error("the service did not serve the console in time");
}

async function getStatus(url: string): Promise<number> {
  const sent = request(url, { headers: { accept: "text/html" }, rejectUnauthorized: false, agent: false });
  sent.end();
  const [response] = (await once(sent, "response")) as [{ statusCode: number; resume(): void }];
  response.resume();
  return response.statusCode;
}

async function readCredentials(file: string): Promise<Credentials> {
  return JSON.parse(await readFile(file, "utf8")) as Credentials;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  await exited;
}
