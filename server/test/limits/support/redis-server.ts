import { spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import type { Cleanup } from "../../support/database.ts";
import { findFreePort } from "../../support/free-port.ts";

export interface RedisServer {
  readonly url: string;
  signal(signal: NodeJS.Signals): void;
  /** Best effort: a signal takes a moment to arrive. */
  isStopped(): boolean;
  kill(): Promise<void>;
  /** Restarts it on the same port, without data. */
  startAgain(): void;
}

const PROGRAMS = ["valkey-server", "redis-server"];

/** Null where none is installed. */
export function findRedisProgram(): string | null {
  for (const folder of (process.env["PATH"] ?? "").split(delimiter)) {
    for (const name of PROGRAMS) {
      try {
        accessSync(join(folder, name), constants.X_OK);
        return join(folder, name);
      } catch {}
    }
  }
  return null;
}

/** Starts a server on loopback without persistence. */
export async function startRedis(t: Cleanup, program: string): Promise<RedisServer> {
  const folder = await mkdtemp(join(tmpdir(), "swarmbase-redis-"));
  const port = await findFreePort();
  const args = ["--port", String(port), "--bind", "127.0.0.1", "--dir", folder, "--save", "", "--appendonly", "no"];
  const start = () => {
    const child = spawn(program, args, { stdio: "ignore" });
    return { child, exited: once(child, "exit") };
  };
  let { child, exited } = start();
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await exited;
  };
  t.after(async () => {
    await kill();
    await rm(folder, { recursive: true, force: true });
  });
  return {
    url: `redis://127.0.0.1:${port}`,
    signal: (signal) => void child.kill(signal),
    isStopped: () => process.platform !== "linux" || readFileSync(`/proc/${child.pid}/stat`, "utf8").includes(") T "),
    kill,
    startAgain: () => {
      ({ child, exited } = start());
    },
  };
}
