import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFreePort, isListening, spawnServer } from "../rest/child.ts";

export interface Redis {
  readonly url: string;
  stop(): Promise<void>;
}

const REDIS_PORT = 6379;
const REACH_TIMEOUT_MS = 5_000;
const PROGRAMS = ["redis-server", "valkey-server"];

/** The given server, or one that is started on a free port and stopped; null if the machine has none. */
export async function findRedis(givenUrl: string | undefined): Promise<Redis | null> {
  if (givenUrl !== undefined && givenUrl !== "") {
    await reach(givenUrl);
    return { url: givenUrl, stop: async () => {} };
  }
  const program = PROGRAMS.find((name) => spawnSync(name, ["--version"]).status === 0);
  if (program === undefined) return null;
  const folder = await mkdtemp(join(tmpdir(), "swarmbase-bench-redis-"));
  const port = await findFreePort();
  // With a log that is flushed to disk every second, as is usual for queues.
  const words = `--port ${port} --bind 127.0.0.1 --appendonly yes --appendfsync everysec --maxmemory-policy noeviction`;
  try {
    const server = await spawnServer({
      program,
      args: [...words.split(" "), "--save", "", "--dir", folder],
      cwd: folder,
      env: {},
      isUp: () => isListening(port),
    });
    return {
      url: `redis://127.0.0.1:${port}`,
      stop: async () => {
        await server.stop();
        await rm(folder, { recursive: true, force: true });
      },
    };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** Its client would otherwise retry for ever. */
async function reach(url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = net.connect({ host: hostname, port: Number(port === "" ? REDIS_PORT : port) });
  try {
    await once(socket, "connect", { signal: AbortSignal.timeout(REACH_TIMEOUT_MS) });
  } catch {
    throw new Error("no server responds at REDIS_URL");
  } finally {
    socket.destroy();
  }
}
