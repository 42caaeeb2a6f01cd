import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, open, readFile, rm, writeFile } from "node:fs/promises";
import type { IncomingHttpHeaders } from "node:http";
import https from "node:https";
import net from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fillFromSeed } from "./seed.ts";
import { type ServiceSettings, UNHURRIED, WITHOUT_LIMITS } from "./settings.ts";
import { findSharedService, SHARED_PROCESS_FILE } from "./shared-service.ts";

export type { ServiceSettings } from "./settings.ts";

/** What an operator finds in `credentials.json`. */
export interface Credentials {
  url: string;
  anon_key: string;
  service_role_key: string;
  ca_cert_file: string | null;
  database_url: string;
}

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  body: Record<string, unknown>;
}

export interface Service {
  credentials: Credentials;
  credentialsFile: string;
  dataDir: string;
  /** Where the service listens. */
  host: string;
  port: number;
  request(path: string, options?: https.RequestOptions & { body?: string }): Promise<Answer>;
  stop(): Promise<void>;
}

const REPOSITORY = resolve(import.meta.dirname, "../..");
const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 20_000;
const POLL_MS = 50;

const GIVEN_CREDENTIALS = process.env["ACCEPTANCE_CREDENTIALS"] ?? "";

/** Whether the service is one that somebody else has started, with settings of theirs. */
export const IS_SERVICE_GIVEN = GIVEN_CREDENTIALS !== "";

/**
 * The running service whose credentials `ACCEPTANCE_CREDENTIALS` names, or one that this file shares with others of the run,
 * where they do as they please too, and that has at least these settings.
 */
export async function startService(
  settings: ServiceSettings = {},
  { isAlone = false }: { /** The file changes what all on a service have in common. */ isAlone?: boolean } = {},
): Promise<Service> {
  if (IS_SERVICE_GIVEN) return openService(GIVEN_CREDENTIALS, async () => {});
  const isShareable = !isAlone && Object.entries(settings).every(([name, value]) => UNHURRIED[name] === value);
  const credentialsFile = isShareable ? await findSharedService(startShared) : null;
  return credentialsFile === null ? startOwnService(settings) : openService(credentialsFile, async () => {});
}

async function startShared(folder: string): Promise<string> {
  await fillDataDir(folder);
  const log = await open(join(folder, "service.log"), "a");
  try {
    const { credentialsFile } = await startIn(folder, UNHURRIED, async () => {}, log.fd);
    return credentialsFile;
  } finally {
    await log.close();
  }
}

/** For tests that need these very settings, which a service that is running already need not have. */
export async function startOwnService(
  settings: ServiceSettings,
  {
    isOnlyChild = false,
  }: { /** With keys and an authority that no other service of the run has. */ isOnlyChild?: boolean } = {},
): Promise<Service> {
  const folder = await mkdtemp(join(tmpdir(), "swarmbase-acceptance-"));
  // As root the database runs under another account, which must get through; else it would be kept elsewhere and stay behind.
  await chmod(folder, 0o711);
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    // A database of somebody else's, or with a key of its own, begins with its first start.
    const hasOwnStart = isOnlyChild || "DATABASE_URL" in settings || "MASTER_KEY" in settings;
    if (!hasOwnStart) await fillDataDir(folder);
    return await startIn(folder, settings, remove);
  } catch (error) {
    await remove();
    throw error;
  }
}

/** As after a first start and an orderly stop, or left empty where that cannot be had for less than a first start. */
async function fillDataDir(folder: string): Promise<void> {
  await fillFromSeed(folder, makeSeed);
}

async function makeSeed(folder: string): Promise<void> {
  const service = await startIn(folder, {}, async () => {});
  await service.stop();
}

/** With a file for its output it goes on when the process that started it ends, and says in the folder above who it is. */
async function startIn(
  folder: string,
  settings: ServiceSettings,
  onStopped: () => Promise<void>,
  logFd: number | null = null,
): Promise<Service> {
  // The port of the database too: one that the seed had is remembered by all that come of it.
  const ports = { PORT: String(await findFreePort()), EMBEDDED_PORT: String(await findFreePort()) };
  const started = spawnProduct(["serve"], { ...ports, DATA_DIR: folder, ...settings }, logFd);
  const stop = async () => {
    await end(started.child);
    await onStopped();
  };
  try {
    if (logFd !== null) await writeFile(join(dirname(folder), SHARED_PROCESS_FILE), String(started.child.pid));
    const credentialsFile = join(folder, "credentials.json");
    const deadline = Date.now() + START_TIMEOUT_MS;
    while (!(await isHealthy(credentialsFile))) {
      if (started.child.exitCode !== null) throw new Error(`The service ended at start:\n${started.output()}`);
      if (Date.now() > deadline) throw new Error(`The service was not up in time:\n${started.output()}`);
      await wait(POLL_MS);
    }
    return await openService(credentialsFile, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Runs a command of the product beside a service, with its data directory, and answers with what it printed. */
export async function runCommand({ dataDir }: Service, words: readonly string[]): Promise<string> {
  const { child, output } = spawnProduct(words, { DATA_DIR: dataDir });
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
    env: { PATH: process.env["PATH"], NODE_ENV: "test", LOG_LEVEL: "warn", ...WITHOUT_LIMITS, ...settings },
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

async function isHealthy(credentialsFile: string): Promise<boolean> {
  try {
    const service = await openService(credentialsFile, async () => {});
    return (await service.request("/health")).status === 200;
  } catch {
    return false;
  }
}

async function openService(credentialsFile: string, stop: () => Promise<void>): Promise<Service> {
  const credentials = JSON.parse(await readFile(credentialsFile, "utf8")) as Credentials;
  const ca = credentials.ca_cert_file === null ? undefined : await readFile(credentials.ca_cert_file, "utf8");
  const url = new URL(credentials.url);
  return {
    credentials,
    credentialsFile,
    dataDir: dirname(credentialsFile),
    host: url.hostname,
    port: Number(url.port === "" ? 443 : url.port),
    request: (path, options = {}) => send(new URL(path, url), { ...(ca !== undefined && { ca }), ...options }),
    stop,
  };
}

function send(url: URL, { body, ...options }: https.RequestOptions & { body?: string }): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = https.request(url, { agent: false, ...options }, (response) => {
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

async function findFreePort(): Promise<number> {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as net.AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
