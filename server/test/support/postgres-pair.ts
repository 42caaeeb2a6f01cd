import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chown, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { derivePassword } from "../../src/crypto/index.ts";
import type { Account } from "../../src/db/embedded/choose-account.ts";
import { locateBinaries } from "../../src/db/embedded/locate-binaries.ts";
import { preparePlace } from "../../src/db/embedded/place-cluster.ts";
import { provideBinaries } from "../../src/db/embedded/provide-binaries.ts";
import { accountOptions, PROGRAM_ENVIRONMENT } from "../../src/db/embedded/run-program.ts";
import { EMBEDDED_DATABASE } from "../../src/db/index.ts";
import type { Cleanup } from "./database.ts";
import { findFreePort } from "./free-port.ts";
import { endProcesses, listProcessTree } from "./process-tree.ts";
import { createTemporaryFolder } from "./temporary-folder.ts";
import { until } from "./until.ts";
import { fillDataDir } from "./used-data-dir.ts";

/** One PostgreSQL server that a test starts, kills and starts again. */
interface PairedServer {
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

export interface PostgresPair {
  readonly primary: PairedServer;
  /** A streaming replica that must confirm every commit of the primary. */
  readonly replica: PairedServer;
  readonly masterKey: string;
  /** Both hosts, with `target_session_attrs`. */
  readonly url: string;
  /** Makes the replica the primary. */
  promote(): Promise<void>;
}

interface ServerOptions {
  readonly program: string;
  readonly clusterDir: string;
  readonly account: Account | null;
  readonly port: number;
  readonly url: string;
  readonly settings: Readonly<Record<string, string>>;
}

/** A primary and its synchronous replica, with the schema of the service, from the PostgreSQL that the product ships. */
export async function startPostgresPair(t: Cleanup): Promise<PostgresPair> {
  const folder = await createTemporaryFolder(t, "swarmbase-pair-");
  await fillDataDir(folder);
  const masterKey = (await readFile(join(folder, "master.key"), "utf8")).trim();
  const { home, clusterDir, account } = await preparePlace(folder);
  const binaryPackage = await locateBinaries(process.platform, process.arch);
  const { postgres: program } = await provideBinaries({ binaryPackage, home, account });
  const copyDir = join(home, "replica");
  await promisify(execFile)("cp", ["-a", clusterDir, copyDir]);
  const signalFile = join(copyDir, "standby.signal");
  await writeFile(signalFile, "");
  if (account !== null) await chown(signalFile, account.uid, account.gid);
  const accessFile = join(home, "pair_hba.conf");
  const ways = ["all", "replication"].map((database) => `host ${database} all 127.0.0.1/32 scram-sha-256\n`);
  await writeFile(accessFile, ways.join(""), { mode: 0o644 });

  const password = derivePassword(masterKey, "postgres");
  const ports = [await findFreePort(), await findFreePort()] as const;
  const shared = {
    config_file: join(home, "postgresql.conf"),
    hba_file: accessFile,
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    // Processes are killed here, not machines.
    fsync: "off",
  };
  const urlOf = (hosts: string): string => `postgresql://postgres:${password}@${hosts}/${EMBEDDED_DATABASE}`;
  const open = (place: 0 | 1, directory: string, settings: Record<string, string>): PairedServer =>
    openServer(t, {
      program,
      clusterDir: directory,
      account,
      port: ports[place],
      url: urlOf(`127.0.0.1:${ports[place]}`),
      settings: { ...shared, ...settings },
    });
  const primary = open(0, clusterDir, { synchronous_standby_names: "*" });
  const replica = open(1, copyDir, {
    primary_conninfo: `host=127.0.0.1 port=${ports[0]} user=postgres password=${password} application_name=replica`,
  });
  await primary.start();
  await replica.start();
  await until(() =>
    ask(primary.url, "select count(*) = 1 as is_so from pg_stat_replication where sync_state = 'sync'"),
  );
  return {
    primary,
    replica,
    masterKey,
    url: `${urlOf(ports.map((port) => `127.0.0.1:${port}`).join(","))}?target_session_attrs=read-write`,
    promote: async () => {
      await ask(replica.url, "select pg_promote(true, 60) as is_so");
    },
  };
}

function openServer(t: Cleanup, o: ServerOptions): PairedServer {
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
      await until(() => ask(o.url, "select true as is_so").catch(() => false), "PostgreSQL accepts connections");
    },
    stop: () => end((pid) => void process.kill(pid, "SIGINT")),
    kill: () => end((pid) => signalAll(pid, "SIGKILL")),
    freeze: async () => {
      isFrozen = true;
      await signalAll(child?.pid ?? 0, "SIGSTOP");
    },
  };
}

async function ask(connectionString: string, statement: string): Promise<boolean> {
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
