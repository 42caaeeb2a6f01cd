import type { Observer } from "../../observe/index.ts";
import type { Account } from "./choose-account.ts";
import { choosePort, isPortFree } from "./choose-port.ts";
import { keepWatchdog } from "./keep-watchdog.ts";
import { launchPostmaster, type Postmaster } from "./launch-postmaster.ts";
import { type LocationRecord, storeLocationRecord } from "./location-record.ts";
import { type LogFile, openLogFile } from "./log-file.ts";
import { measureMachine } from "./measure-machine.ts";
import type { Binaries } from "./provide-binaries.ts";
import { sizeMemory } from "./size-memory.ts";
import { emptySocketDirectory, makeSocketDirectory, removeTemporarySocketDirectory } from "./socket-directory.ts";
import { type StopOutcome, stopCluster } from "./stop-cluster.ts";
import { supervisePostmaster } from "./supervise-postmaster.ts";
import { buildAdminUrl, verifyAccess } from "./verify-access.ts";
import { postmasterArguments, writeConfiguration } from "./write-configuration.ts";

export interface EmbeddedServer {
  /** For the superuser and the database "postgres", through the socket where there is one. */
  readonly adminUrl: string;
  readonly tcpPort: number;
  readonly socketDir: string | null;
  /** The folder of the cluster. */
  readonly clusterDir: string;
  /** Safe to call more than once. */
  stop(): Promise<void>;
}

export interface RunClusterOptions {
  readonly dataDir: string;
  readonly home: string;
  readonly clusterDir: string;
  readonly account: Account | null;
  readonly binaries: Binaries;
  readonly record: LocationRecord;
  readonly lockFolders: readonly string[];
  readonly wantedPort: number;
  readonly superuserPassword: string;
  readonly observer: Observer;
  onProgress?(line: string): void;
  releaseLocks(): void;
}

const STOP_PATIENCE = { fastMs: 20_000, immediateMs: 6_000 };
const MAX_ATTEMPTS = 3;

/** Starts an existing cluster, and keeps it running until it is stopped. */
export async function runCluster(o: RunClusterOptions): Promise<EmbeddedServer> {
  const { clusterDir, observer } = o;
  await writeConfiguration(o.home, sizeMemory(measureMachine()));
  if (o.record.temporarySocketDir !== null) removeTemporarySocketDirectory(o.record.temporarySocketDir);
  const socket = makeSocketDirectory({ home: o.home, account: o.account, platform: process.platform });
  const socketDir = socket?.path ?? null;
  const log = openLogFile(o.dataDir);
  const { pgCtl } = o.binaries;
  const watchdog = keepWatchdog({ order: { clusterDir, pgCtl, lockFolders: o.lockFolders }, logFd: log.fd, observer });
  const clear = () => stopCluster({ clusterDir, pgCtl, patience: STOP_PATIENCE });

  async function tidyUp(): Promise<void> {
    try {
      if ((await clear()) === "forced") observer.note("embedded.stop_forced");
    } finally {
      await watchdog.release();
      if (socket?.isTemporary === true) removeTemporarySocketDirectory(socket.path);
      log.close();
    }
  }

  try {
    const { first, port } = await launchOnFreePort(o, { socketDir, log, clear });
    const adminUrl = buildAdminUrl({ password: o.superuserPassword, port, socketDir });
    await verifyAccess(adminUrl, clusterDir);
    const temporarySocketDir = socket?.isTemporary === true ? socket.path : null;
    if (o.record.port !== port || o.record.temporarySocketDir !== temporarySocketDir) {
      await storeLocationRecord(o.dataDir, { ...o.record, port, temporarySocketDir });
    }
    observer.note("embedded.started", {
      port,
      socketDir,
      clusterDir,
      pid: first.pid,
      account: o.account?.name ?? null,
    });
    const supervisor = supervisePostmaster({
      first,
      observer,
      async relaunch(signal) {
        await clear();
        if (socketDir !== null) emptySocketDirectory(socketDir);
        return launch(o, { port, socketDir, log, signal });
      },
    });
    let stopping: Promise<void> | null = null;
    const stop = async (): Promise<void> => {
      try {
        await supervisor.cease();
        await tidyUp();
        observer.note("embedded.stopped");
      } finally {
        o.releaseLocks();
      }
    };
    return {
      adminUrl,
      tcpPort: port,
      socketDir,
      clusterDir,
      stop() {
        stopping ??= stop();
        return stopping;
      },
    };
  } catch (fault) {
    await tidyUp();
    throw fault;
  }
}

/** Tries another port when a program takes the free one before PostgreSQL does. */
async function launchOnFreePort(
  o: RunClusterOptions,
  tools: { socketDir: string | null; log: LogFile; clear(): Promise<StopOutcome> },
): Promise<{ first: Postmaster; port: number }> {
  for (let attempt = 1; ; attempt++) {
    const port = await choosePort([o.wantedPort, o.record.port]);
    if (o.wantedPort !== 0 && port !== o.wantedPort) {
      o.observer.note("embedded.port_taken", { wantedPort: o.wantedPort, port });
    }
    try {
      const { signal } = new AbortController();
      return { first: await launch(o, { port, socketDir: tools.socketDir, log: tools.log, signal }), port };
    } catch (fault) {
      if (attempt === MAX_ATTEMPTS) throw fault;
      // A service that was killed a moment ago may have started a PostgreSQL that becomes visible only now.
      const wasInTheWay = (await tools.clear()) !== "nothing";
      if (!wasInTheWay && (await isPortFree(port))) throw fault;
    }
  }
}

function launch(
  o: RunClusterOptions,
  run: { port: number; socketDir: string | null; log: LogFile; signal: AbortSignal },
): Promise<Postmaster> {
  const { home, clusterDir, account } = o;
  return launchPostmaster({
    postgres: o.binaries.postgres,
    postmasterArguments: postmasterArguments({ home, clusterDir, port: run.port, socketDir: run.socketDir }),
    clusterDir,
    account,
    log: run.log,
    signal: run.signal,
    onSlow: () => o.onProgress?.("PostgreSQL is still getting ready (recovery after a crash can take a while)…"),
  });
}
