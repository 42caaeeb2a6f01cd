import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import pg from "pg";
import type { Account } from "../../src/db/embedded/choose-account.ts";
import { accountOptions, PROGRAM_ENVIRONMENT } from "../../src/db/embedded/run-program.ts";
import type { Cleanup } from "./database.ts";
import { endProcesses, listProcessTree } from "./process-tree.ts";
import { until } from "./until.ts";

/** One PostgreSQL server that a test starts, kills and starts again. */
export interface PostgresServer {
  readonly port: number;
  /** As the superuser, in the database of the service. */
  readonly url: string;
  readonly pid: number;
  start(): Promise<void>;
  /** Ends it in an orderly way: open transactions are rolled back. */
  stop(): Promise<void>;
  /** kill -9 of all its processes. */
  kill(): Promise<void>;
  /** Stops all its processes without closing a connection, as a machine that is gone does. */
  freeze(): Promise<void>;
}

interface ServerOptions {
  readonly program: string;
  readonly clusterDir: string;
  readonly account: Account | null;
  readonly port: number;
  readonly url: string;
  readonly settings: Readonly<Record<string, string>>;
}

/** Does not start it. */
export function openPostgresServer(t: Cleanup, o: ServerOptions): PostgresServer {
  let child: ChildProcess | null = null;
  const words = Object.entries({ ...o.settings, port: String(o.port) }).flatMap(([name, value]) => [
    "-c",
    `${name}=${value}`,
  ]);
  const end = async (act: (pid: number) => Promise<void> | void): Promise<void> => {
    const running = child;
    child = null;
    if (running?.pid === undefined || running.exitCode !== null || running.signalCode !== null) return;
    const exited = once(running, "exit");
    await act(running.pid);
    await exited;
  };
  const signalAll = async (pid: number, signal: NodeJS.Signals): Promise<void> =>
    endProcesses(await listProcessTree(pid), signal);
  let isFrozen = false;
  // A process that is stopped handles no other signal.
  t.after(() => end((pid) => (isFrozen ? signalAll(pid, "SIGKILL") : void process.kill(pid, "SIGINT"))));
  return {
    port: o.port,
    url: o.url,
    get pid() {
      return child?.pid ?? 0;
    },
    start: async () => {
      child = spawn(o.program, ["-D", o.clusterDir, ...words], {
        cwd: o.clusterDir,
        stdio: "ignore",
        env: PROGRAM_ENVIRONMENT,
        ...accountOptions(o.account),
      });
      await until(() => askServer(o.url, "select true as is_so").catch(() => false), "PostgreSQL accepts connections");
    },
    stop: () => end((pid) => void process.kill(pid, "SIGINT")),
    kill: () => end((pid) => signalAll(pid, "SIGKILL")),
    freeze: async () => {
      isFrozen = true;
      await signalAll(child?.pid ?? 0, "SIGSTOP");
    },
  };
}

/** Whether the statement returns true as `is_so`. */
export async function askServer(connectionString: string, statement: string): Promise<boolean> {
  const client = new pg.Client({ connectionString });
  client.on("error", () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ is_so: boolean }>(statement);
    return rows[0]?.is_so === true;
  } finally {
    await client.end().catch(() => {});
  }
}
