import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, open, readFile, rm, writeFile } from "node:fs/promises";
import type { IncomingHttpHeaders } from "node:http";
import https from "node:https";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { findFreePort } from "./free-port.ts";
import { type Credentials, GIVEN } from "./given-service.ts";
import { fillFromSeed } from "./seed.ts";
import { MAILING, type ServiceSettings, UNLIMITED, WITHOUT_CONSOLE, WITHOUT_LIMITS } from "./settings.ts";
import { findSharedService } from "./shared-service.ts";
import { WAIT_MS } from "./eventually.ts";

export type { ServiceSettings } from "./settings.ts";

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  body: Record<string, unknown>;
}

export interface Service {
  credentials: Credentials;
  /** The folder of `credentials.json`; null for an external service. */
  dataDir: string | null;
  /** The address of the service. */
  host: string;
  port: number;
  request(path: string, options?: https.RequestOptions & { body?: string }): Promise<Answer>;
  stop(): Promise<void>;
}

const REPOSITORY = resolve(import.meta.dirname, "../..");
const STOP_TIMEOUT_MS = 20_000;
const POLL_MS = 50;

/** Services that files of a run share; the first file that needs one starts it. */
const SHARED: Readonly<Record<string, ServiceSettings>> = { service: UNLIMITED, mailing: MAILING };

/**
 * The running service that the environment names, or a service with at least these settings that files of the run
 * share.
 */
export async function startService(
  settings: ServiceSettings = {},
  { isAlone = false }: { /** The file changes what all on a service have in common. */ isAlone?: boolean } = {},
): Promise<Service> {
  if (GIVEN !== null) return openService(GIVEN.credentials, null, async () => {});
  const [name] =
    Object.entries(SHARED).find(([, has]) => Object.entries(settings).every(([key, value]) => has[key] === value)) ??
    [];
  const folder = name === undefined || isAlone ? null : await findSharedService(name, startShared);
  return folder === null ? startOwnService(settings) : openFolder(folder, async () => {});
}

async function startShared(name: string, folder: string, pidFile: string): Promise<void> {
  await fillDataDir(folder);
  const log = await open(join(folder, "service.log"), "a");
  try {
    await startIn(folder, SHARED[name] ?? {}, async () => {}, { logFd: log.fd, pidFile });
  } finally {
    await log.close();
  }
}

/** For tests that need exactly these settings, which a running service may not have. */
export async function startOwnService(
  settings: ServiceSettings,
  {
    isOnlyChild = false,
  }: { /** With keys and an authority that no other service of the run has. */ isOnlyChild?: boolean } = {},
): Promise<Service> {
  const folder = await mkdtemp(join(tmpdir(), "swarmbase-acceptance-"));
  // As root the database runs under another account, which must be able to enter the folder; otherwise the database
  // would be elsewhere and stay behind.
  await chmod(folder, 0o711);
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    // A service with its own database or key must do a first start.
    const hasOwnStart = isOnlyChild || "DATABASE_URL" in settings || "MASTER_KEY" in settings;
    if (!hasOwnStart) await fillDataDir(folder);
    return await startIn(folder, settings, remove);
  } catch (error) {
    await remove();
    throw error;
  }
}

/** A directory as after a first start and a clean stop, or empty if copying would be slower. */
async function fillDataDir(folder: string): Promise<void> {
  await fillFromSeed(folder, makeSeed);
}

async function makeSeed(folder: string): Promise<void> {
  const service = await startIn(folder, {}, async () => {});
  await service.stop();
}

interface Outliving {
  /** The file for its output. */
  readonly logFd: number;
  /** The file with its process id. */
  readonly pidFile: string;
}

/** A service that outlives the process that started it, or one that ends with it. */
async function startIn(
  folder: string,
  settings: ServiceSettings,
  onStopped: () => Promise<void>,
  outliving: Outliving | null = null,
): Promise<Service> {
  // Also resets the database port, which all copies of the seed would share.
  const ports = { PORT: String(await findFreePort()), EMBEDDED_PORT: String(await findFreePort()) };
  const started = spawnProduct(["serve"], { ...ports, DATA_DIR: folder, ...settings }, outliving?.logFd ?? null);
  const stop = async () => {
    await end(started.child);
    await onStopped();
  };
  try {
    if (outliving !== null) await writeFile(outliving.pidFile, String(started.child.pid));
    const deadline = Date.now() + WAIT_MS;
    while (!(await isHealthy(folder))) {
      if (started.child.exitCode !== null) throw new Error(`The service ended at start:\n${started.output()}`);
      if (Date.now() > deadline) throw new Error(`The service was not up in time:\n${started.output()}`);
      await wait(POLL_MS);
    }
    return await openFolder(folder, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Runs a command of the product with the data directory of a service, and returns its output. */
export async function runCommand(service: Service, words: readonly string[]): Promise<string> {
  const { child, output } = spawnProduct(words, { DATA_DIR: folderOf(service) });
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`${words.join(" ")} ended with ${code}:\n${output()}`);
  return output();
}

interface Spawned {
  child: ChildProcess;
  output: () => string;
}

function spawnProduct(words: readonly string[], settings: ServiceSettings, logFd: number | null = null): Spawned {
  const child = spawn(process.execPath, ["-C", "swarmbase-source", "server/bin/swarmbase.js", ...words], {
    cwd: REPOSITORY,
    env: {
      PATH: process.env["PATH"],
      NODE_ENV: "test",
      WORKERS: "1",
      LOG_LEVEL: "warn",
      // Does not wait for runs that a test has left behind.
      AGENT_RUN_STOP_TIMEOUT_MS: "5000",
      ...WITHOUT_CONSOLE,
      PROVIDER_DETECTION: "false",
      ...WITHOUT_LIMITS,
      ...settings,
    },
    stdio: ["ignore", logFd ?? "pipe", logFd ?? "pipe"],
    detached: logFd !== null,
  });
  if (logFd !== null) child.unref();
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  return { child, output: () => output };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
  await exited;
  clearTimeout(timer);
}

async function isHealthy(folder: string): Promise<boolean> {
  try {
    const service = await openFolder(folder, async () => {});
    return (await service.request("/health", { agent: false })).status === 200;
  } catch {
    return false;
  }
}

async function openFolder(folder: string, stop: () => Promise<void>): Promise<Service> {
  const credentials = JSON.parse(await readFile(join(folder, "credentials.json"), "utf8")) as Credentials;
  return openService(credentials, folder, stop);
}

async function openService(
  credentials: Credentials,
  dataDir: string | null,
  stop: () => Promise<void>,
): Promise<Service> {
  const ca = credentials.ca_cert_file === null ? undefined : await readFile(credentials.ca_cert_file, "utf8");
  const url = new URL(credentials.url);
  // Keep-alive: a TLS handshake costs both sides more than most requests.
  const agent = new https.Agent({ keepAlive: true });
  return {
    credentials,
    dataDir,
    host: url.hostname,
    port: Number(url.port === "" ? 443 : url.port),
    request: (path, options = {}) => send(new URL(path, url), { agent, ...(ca !== undefined && { ca }), ...options }),
    stop: async () => {
      agent.destroy();
      await stop();
    },
  };
}

/** The data directory of a service that this process started. */
export function folderOf({ dataDir }: Service): string {
  if (dataDir === null) throw new Error("The folder of a service that somebody else has started is not known.");
  return dataDir;
}

function send(url: URL, { body, ...options }: https.RequestOptions & { body?: string }): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = https.request(url, options, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        const parsed: unknown = text.startsWith("{") ? JSON.parse(text) : {};
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text,
          body: parsed as Record<string, unknown>,
        });
      });
    });
    request.on("error", reject);
    request.end(body);
  });
}
