import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import type { IncomingHttpHeaders } from "node:http";
import https from "node:https";
import net from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

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

/** Settings of the product, by their names in the environment. */
export type ServiceSettings = Readonly<Record<string, string>>;

/** Tests ask more often than a client would, so this is how services are started unless a test says otherwise. */
export const WITHOUT_LIMITS: ServiceSettings = {
  LIMIT_API: "0",
  LIMIT_AUTH: "0",
  LIMIT_AI: "0",
  LIMIT_TOOLS: "0",
  LIMIT_WEBHOOKS: "0",
};

const GIVEN_CREDENTIALS = process.env["ACCEPTANCE_CREDENTIALS"] ?? "";

/** Whether the service is one that somebody else has started, with settings of theirs. */
export const IS_SERVICE_GIVEN = GIVEN_CREDENTIALS !== "";

/** Starts the product as a user would, or takes the running one whose credentials `ACCEPTANCE_CREDENTIALS` names. */
export async function startService(settings: ServiceSettings = {}): Promise<Service> {
  return IS_SERVICE_GIVEN ? openService(GIVEN_CREDENTIALS, async () => {}) : startOwnService(settings);
}

/** For tests that need these very settings, which a service that is running already need not have. */
export async function startOwnService(settings: ServiceSettings): Promise<Service> {
  const folder = await mkdtemp(join(tmpdir(), "swarmbase-acceptance-"));
  // As root the database runs under another account, which must get through; else it would be kept elsewhere and stay behind.
  await chmod(folder, 0o711);
  const started = spawnService(settings, folder, await findFreePort());
  const stop = async () => {
    await end(started.child);
    await rm(folder, { recursive: true, force: true });
  };
  try {
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

function spawnService(settings: ServiceSettings, folder: string, port: number): Spawned {
  return spawnProduct(["serve"], { PORT: String(port), DATA_DIR: folder, ...settings });
}

interface Spawned {
  child: ChildProcess;
  output: () => string;
}

function spawnProduct(words: readonly string[], settings: ServiceSettings): Spawned {
  const child = spawn(process.execPath, ["-C", "swarmbase-source", "server/bin/swarmbase.js", ...words], {
    cwd: REPOSITORY,
    env: { PATH: process.env["PATH"], NODE_ENV: "test", LOG_LEVEL: "warn", ...WITHOUT_LIMITS, ...settings },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
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
