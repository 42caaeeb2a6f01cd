import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import http from "node:http";
import https from "node:https";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Cleanup } from "./database.ts";
import { findFreePort } from "./free-port.ts";
import { QUICK_HASHES } from "./quick-hashes.ts";
import { WITHOUT_DETECTION } from "./without-detection.ts";
import { WITHOUT_LIMITS } from "./without-limits.ts";

const LAUNCHER = fileURLToPath(new URL("../../bin/swarmbase.js", import.meta.url));
const START_TIMEOUT_MS = 180_000;

export interface Credentials {
  readonly url: string;
  readonly anon_key: string;
  readonly service_role_key: string;
  readonly ca_cert_file: string | null;
  readonly database_url: string;
}

export interface RunningService {
  readonly pid: number;
  readonly credentials: Credentials;
  readonly exited: Promise<number | null>;
  /** What it has printed so far, both streams. */
  output(): string;
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

export interface StartServiceOptions {
  readonly dataDir: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Options of Node.js itself. */
  readonly nodeOptions?: readonly string[];
}

/** What a service under test gets beside its port and data directory. */
export const SERVICE_ENVIRONMENT: Readonly<Record<string, string>> = {
  LOG_FORMAT: "json",
  CONSOLE_ENABLED: "false",
  WORKERS: "1",
  ...WITHOUT_DETECTION,
  ...WITHOUT_LIMITS,
  ...QUICK_HASHES,
};

/** The program as an operator starts it, waited for until it is healthy. */
export async function startService(
  t: Cleanup,
  { dataDir, env = {}, nodeOptions = [] }: StartServiceOptions,
): Promise<RunningService> {
  const port = env["PORT"] ?? String(await findFreePort());
  const child = spawn(process.execPath, ["-C", "swarmbase-source", ...nodeOptions, LAUNCHER, "serve"], {
    env: {
      PATH: process.env["PATH"] ?? "",
      ...SERVICE_ENVIRONMENT,
      ...env,
      PORT: port,
      DATA_DIR: dataDir,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const printed: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => printed.push(chunk.toString()));
  const output = (): string => printed.join("");
  const exited = once(child, "exit").then(([code]) => code as number | null);
  const stop = async (signal: NodeJS.Signals = "SIGTERM"): Promise<number | null> => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    return exited;
  };
  t.after(async () => {
    await stop();
  });
  const giveUp = new AbortController();
  const ended = exited.then((code) => {
    giveUp.abort();
    throw new Error(`the service ended with code ${code} before it was healthy:\n${output()}`);
  });
  const credentials = await Promise.race([
    waitUntilHealthy(dataDir, { port, isProxied: env["TLS_MODE"] === "proxy" }, giveUp.signal),
    ended,
  ]);
  ended.catch(() => {});
  if (child.pid === undefined) throw new Error("the service has no process id");
  return { pid: child.pid, credentials, exited, output, stop };
}

interface Address {
  readonly port: string;
  /** The service speaks plain HTTP, and believes what a proxy says. */
  readonly isProxied: boolean;
}

async function waitUntilHealthy(dataDir: string, address: Address, signal: AbortSignal): Promise<Credentials> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    if (await isHealthy(address))
      return JSON.parse(await readFile(join(dataDir, "credentials.json"), "utf8")) as Credentials;
    if (Date.now() > deadline) throw new Error("the service was not healthy in time");
    await delay(20, undefined, { signal });
  }
}

function isHealthy({ port, isProxied }: Address): Promise<boolean> {
  return new Promise((resolve) => {
    // Before the first start there is no certificate to trust, and only liveness is asked here.
    const target = { host: "127.0.0.1", port, path: "/health", agent: false, timeout: 2_000 } as const;
    const request = isProxied
      ? http.get({ ...target, headers: { "x-forwarded-proto": "https" } })
      : https.get({ ...target, rejectUnauthorized: false });
    request
      .on("response", (response) => {
        response.resume();
        resolve(response.statusCode === 200);
      })
      .on("timeout", function (this: { destroy(): void }) {
        this.destroy();
      })
      .on("error", () => resolve(false));
  });
}
