import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chown, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Account } from "../variants/ordinary-account.ts";
import { compareOutput } from "./compare-output.ts";
import type { ConsoleCommand } from "./read-snippets.ts";

/** The command of the pages that starts the service. */
export const START = "npm start";
const LAST_LINE = /^ {2}Stop +Ctrl-C$/m;
const TIMEOUT_MS = 120_000;

export interface PageSessionOptions {
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Runs the commands; null is that of this process. */
  readonly account?: Account | null;
  /** What is run in place of commands of a page. */
  readonly replaced?: Readonly<Record<string, string>>;
}

/** A folder in which the blocks of a page are saved and typed as they are printed, on one service; only the port is changed. */
export interface PageSession {
  /** Returns what the service prints until it runs. */
  start(): Promise<string>;
  /** Returns the standard output; the error output is part of a failure. */
  run(text: string): Promise<string>;
  /** Throws if the output is not that of the page. */
  follow(command: ConsoleCommand): Promise<void>;
  save(name: string, text: string): Promise<void>;
  close(): Promise<void>;
}

export function openPageSession(options: PageSessionOptions): PageSession {
  const { folder, environment, account = null, replaced = {} } = options;
  const shell = { cwd: folder, env: environment, ...account };
  let service: ChildProcess | undefined;
  let port = "";
  const exports: string[] = [];

  async function start(): Promise<string> {
    const text = replaced[START] ?? START;
    const child = spawn("sh", ["-c", text], { ...shell, detached: true });
    service = child;
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
    const isUp = new Promise<void>((resolve, reject) => {
      child.stdout.on("data", () => LAST_LINE.test(output) && resolve());
      child.on("exit", () => reject(new Error(`${text} ended:\n${output}`)));
    });
    const deadline = AbortSignal.timeout(TIMEOUT_MS);
    await Promise.race([isUp, once(deadline, "abort").then(() => Promise.reject(new Error(`too late:\n${output}`)))]);
    port = /https:\/\/localhost:(\d+)/.exec(output)?.[1] ?? "";
    const end = LAST_LINE.exec(output);
    return output.slice(0, (end?.index ?? 0) + (end?.[0].length ?? 0));
  }

  function run(text: string): Promise<string> {
    const script = [...exports, text].join("\n").replaceAll("localhost:8443", `localhost:${port}`);
    return new Promise((resolve, reject) => {
      execFile("sh", ["-c", script], { ...shell, timeout: TIMEOUT_MS }, (error, stdout, stderr) =>
        error === null ? resolve(stdout) : reject(new Error(`${text}\n${stdout}${stderr}`, { cause: error })),
      );
    });
  }

  return {
    start,
    run,
    follow: async ({ text, output }) => {
      if (text.startsWith("export ")) exports.push(text);
      const difference = compareOutput(output, text === START ? await start() : await run(replaced[text] ?? text));
      if (difference !== null) throw new Error(`${text}\n${difference}`);
    },
    save: async (name, text) => {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), text);
      if (account !== null) await chown(join(folder, name), account.uid, account.gid);
    },
    close: async () => {
      if (service?.pid === undefined || service.exitCode !== null || service.signalCode !== null) return;
      const closed = once(service, "close");
      // As Ctrl-C does: signals npm, its shell and the service.
      process.kill(-service.pid, "SIGINT");
      await closed;
    },
  };
}
