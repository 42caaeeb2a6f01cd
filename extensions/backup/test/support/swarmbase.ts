import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { fillDataDir } from "../../../../server/test/support/used-data-dir.ts";
import { WITHOUT_DETECTION } from "../../../../server/test/support/without-detection.ts";
import { WITHOUT_LIMITS } from "../../../../server/test/support/without-limits.ts";

const LAUNCHER = fileURLToPath(new URL("../../../../server/bin/swarmbase.js", import.meta.url));

/** Closes what was opened last first: programs before the folders that they use. */
export class Cleaner {
  readonly #closers: (() => unknown)[] = [];

  after(close: () => unknown): void {
    this.#closers.push(close);
  }

  async close(): Promise<void> {
    for (let close = this.#closers.pop(); close !== undefined; close = this.#closers.pop()) await close();
  }
}

export interface Home {
  readonly cleaner: Cleaner;
  readonly home: string;
  readonly dataDir: string;
}

/** A folder with the data directory of a service that has run and was stopped, for one test. */
export async function openHome(t: Pick<TestContext, "after">): Promise<Home> {
  const cleaner = new Cleaner();
  t.after(() => cleaner.close());
  const home = await mkdtemp(join(tmpdir(), "swarmbase-backup-"));
  // As root, the database runs under another account.
  await chmod(home, 0o711);
  cleaner.after(() => rm(home, { recursive: true, force: true, maxRetries: 3 }));
  const dataDir = join(home, "data");
  await mkdir(dataDir, { mode: 0o711 });
  await fillDataDir(dataDir);
  return { cleaner, home, dataDir };
}

export interface CommandProcess {
  stderr(): string;
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** A command in a process of its own, which can be killed. */
export function startCommand(
  cleaner: Cleaner,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): CommandProcess {
  const child = spawn(process.execPath, ["-C", "swarmbase-source", LAUNCHER, ...args], {
    env: {
      PATH: process.env["PATH"] ?? "",
      LOG_FORMAT: "json",
      HOME: tmpdir(),
      ...WITHOUT_DETECTION,
      ...WITHOUT_LIMITS,
      ...env,
    },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const exited = once(child, "close").then(([code]) => code as number | null);
  const stop = async (signal: NodeJS.Signals = "SIGTERM"): Promise<number | null> => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    return exited;
  };
  cleaner.after(() => stop());
  return { stderr: () => stderr, stop };
}
