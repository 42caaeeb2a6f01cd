import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { TestContext } from "node:test";
import type { CredentialsFile } from "../../src/auth/index.ts";
import { quoteForShell } from "../../src/commands/quote-for-shell.ts";
import { fillDataDir } from "../support/used-data-dir.ts";
import { QUICK_HASHES } from "../support/quick-hashes.ts";
import { WITHOUT_DETECTION } from "../support/without-detection.ts";
import { WITHOUT_LIMITS } from "../support/without-limits.ts";

const LAUNCHER = resolve(import.meta.dirname, "../../bin/swarmbase.js");
const CONDITION = ["-C", "swarmbase-source"];

/** What runs is ended before the directories it uses are removed; node:test itself would go first come, first served. */
const closers = new WeakMap<TestContext, (() => Promise<unknown>)[]>();

/** PostgreSQL's account must be able to pass through when tests run as root. */
export async function makeDataDir(t: TestContext): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "swarmbase-app-"));
  await chmod(dir, 0o711);
  t.after(async () => {
    await closeAll(t);
    await rm(dir, { recursive: true, force: true, maxRetries: 3 });
  });
  return join(dir, "data");
}

/** As a service leaves it that has run and was stopped: for tests to which the first start is nothing but time. */
export async function makeUsedDataDir(t: TestContext): Promise<string> {
  const dataDir = await makeDataDir(t);
  await mkdir(dataDir, { mode: 0o711 });
  await fillDataDir(dataDir);
  return dataDir;
}

export interface Program {
  readonly child: ChildProcess;
  stdout(): string;
  stderr(): string;
  lines(): Record<string, unknown>[];
  /** Resolves with the first log line of that event; rejects when the program ends without it. */
  waitFor(event: string): Promise<Record<string, unknown>>;
  readonly exited: Promise<{ code: number | null; signal: string | null }>;
  stop(signal?: NodeJS.Signals): Promise<{ code: number | null; signal: string | null }>;
}

export interface RunOptions {
  readonly env?: Record<string, string>;
  readonly withCondition?: boolean;
  /** As npm does: through a shell that stays the parent and takes signals for itself. */
  readonly asNpm?: boolean;
  /** Code that runs inside the program before its own. */
  readonly preload?: string;
}

/** Runs the real program as a shell would, in an environment that holds nothing but what is given. */
export function runProgram(
  t: TestContext,
  args: readonly string[],
  { env = {}, withCondition = true, preload, asNpm = false }: RunOptions = {},
): Program {
  const preloaded = preload === undefined ? [] : ["--import", `data:text/javascript,${encodeURIComponent(preload)}`];
  const words = [process.execPath, ...(withCondition ? CONDITION : []), ...preloaded, LAUNCHER, ...args];
  // The last word keeps the shell from handing its own process over to the program.
  const [file = "", ...rest] = asNpm
    ? ["/bin/sh", "-c", `${words.map((word) => quoteForShell(word)).join(" ")}; true`]
    : words;
  const child = spawn(file, rest, {
    env: {
      PATH: process.env["PATH"] ?? "",
      LOG_FORMAT: "json",
      CONSOLE_ENABLED: "false",
      WORKERS: "1",
      HOME: tmpdir(),
      PORT: "0",
      ...WITHOUT_DETECTION,
      ...WITHOUT_LIMITS,
      ...QUICK_HASHES,
      ...(asNpm ? { npm_lifecycle_event: "start" } : {}),
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    child.emit("output");
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  let isOver = false;
  const exited = once(child, "close").then(([code, signal]) => {
    isOver = true;
    child.emit("output");
    return { code, signal };
  });
  const end = async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
    await exited;
  };
  closeAfter(t, end);

  const lines = () =>
    stdout
      .split("\n")
      .slice(0, -1)
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line));
  return {
    child,
    stdout: () => stdout,
    stderr: () => stderr,
    lines,
    exited,
    waitFor: async (event) => {
      for (;;) {
        const found = lines().find((line) => line.event === event);
        if (found !== undefined) return found;
        // Not at its exit: what it has printed may come after it.
        if (isOver) throw new Error(`ended without ${event}\n${stdout}\n${stderr}`);
        await once(child, "output");
      }
    },
    stop: (signal = "SIGTERM") => {
      child.kill(signal);
      return exited;
    },
  };
}

export function closeAfter(t: TestContext, close: () => Promise<unknown>): void {
  closers.set(t, [...(closers.get(t) ?? []), close]);
  t.after(() => closeAll(t));
}

async function closeAll(t: TestContext): Promise<void> {
  const waiting = closers.get(t) ?? [];
  for (let close = waiting.pop(); close !== undefined; close = waiting.pop()) await close();
}

export async function readCredentials(dataDir: string): Promise<CredentialsFile> {
  return JSON.parse(await readFile(join(dataDir, "credentials.json"), "utf8"));
}

/** A request as a stranger to this code would make it: TLS checked against the CA file, nothing else known. */
export async function get(
  url: string,
  caFile: string | null,
): Promise<{ status: number; headers: Headers; body: unknown }> {
  const ca = caFile === null ? {} : { ca: await readFile(caFile) };
  return new Promise((done, fail) => {
    const sent = request(url, { ...ca, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      response.on("end", () => {
        const headers = new Headers();
        for (const [name, value] of Object.entries(response.headers)) headers.set(name, String(value));
        done({ status: response.statusCode ?? 0, headers, body: JSON.parse(text) });
      });
    });
    sent.on("error", fail).end();
  });
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
