import type { Observer } from "../../observe/index.ts";
import { choosePort, isPortTaken } from "./choose-port.ts";
import { keepWatchdog } from "./keep-watchdog.ts";
import { launchPostmaster, type Postmaster } from "./launch-postmaster.ts";
import { storeLocationRecord } from "./location-record.ts";
import { openLogFile } from "./log-file.ts";
import type { ClusterPlace } from "./place-cluster.ts";
import type { Binaries } from "./provide-binaries.ts";
import { measureMachine, sizeMemory } from "./size-memory.ts";
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

interface RunClusterOptions extends ClusterPlace {
  readonly binaries: Binaries;
  readonly wantedPort: number;
  readonly superuserPassword: string;
  /** The server permits at least so many connections. */
  readonly neededConnections?: number;
  readonly observer: Observer;
  onProgress?(line: string): void;
  onWaiting?(): void;
  releaseLocks(): void;
}

const STOP_TIMEOUT_MS = 20_000;
const MAX_ATTEMPTS = 3;

/** Starts an existing cluster, and keeps it running until it is stopped. */
export async function runCluster(o: RunClusterOptions): Promise<EmbeddedServer> {
  const { clusterDir, observer } = o;
  await writeConfiguration(o.home, sizeMemory(measureMachine(), o.neededConnections));
  if (o.record.temporarySocketDir !== null) removeTemporarySocketDirectory(o.record.temporarySocketDir);
  const socket = makeSocketDirectory({ home: o.home, account: o.account, platform: process.platform });
  const socketDir = socket?.path ?? null;
  const log = openLogFile(o.dataDir);
  const { pgCtl } = o.binaries;
  const releaseWatchdog = keepWatchdog({ clusterDir, pgCtl, lockFolders: o.lockFolders }, log.fd, observer);
  const clear = () => stopCluster({ clusterDir, pgCtl, timeoutMs: STOP_TIMEOUT_MS });
  const launch = (port: number, signal: AbortSignal): Promise<Postmaster> =>
    launchPostmaster({
      postgres: o.binaries.postgres,
      postmasterArguments: postmasterArguments({ home: o.home, clusterDir, port, socketDir }),
      clusterDir,
      account: o.account,
      log,
      signal,
      ...(o.onWaiting && { onWaiting: o.onWaiting }),
      onSlow: () => o.onProgress?.("PostgreSQL is still getting ready (recovery after a crash can take a while)…"),
    });

  async function cleanUp(): Promise<void> {
    try {
      if ((await clear()) === "forced") observer.note("embedded.stop_forced");
    } finally {
      await releaseWatchdog();
      if (socket?.isTemporary === true) removeTemporarySocketDirectory(socket.path);
      log.close();
    }
  }

  try {
    const { first, port } = await launchOnFreePort(o, launch, clear);
    const adminUrl = buildAdminUrl({ password: o.superuserPassword, port, socketDir });
    await verifyAccess(adminUrl, clusterDir);
    const temporarySocketDir = socket?.isTemporary === true ? socket.path : null;
    if (o.record.port !== port || o.record.temporarySocketDir !== temporarySocketDir) {
      await storeLocationRecord(o.dataDir, { ...o.record, port, temporarySocketDir });
    }
    const account = o.account?.name ?? null;
    observer.note("embedded.started", { port, socketDir, clusterDir, pid: first.pid, account });
    const endSupervision = supervisePostmaster({
      first,
      observer,
      async relaunch(signal) {
        await clear();
        if (socketDir !== null) emptySocketDirectory(socketDir);
        return launch(port, signal);
      },
    });
    let stopping: Promise<void> | null = null;
    const stop = async (): Promise<void> => {
      try {
        await endSupervision();
        await cleanUp();
        observer.note("embedded.stopped");
      } finally {
        o.releaseLocks();
      }
    };
    return { adminUrl, tcpPort: port, socketDir, clusterDir, stop: () => (stopping ??= stop()) };
  } catch (fault) {
    await cleanUp();
    throw fault;
  }
}

/** A kill in the right moment leaves the file of an unlogged table that the end of the recovery creates. The next recovery removes it first. */
const INTERRUPTED_RECOVERY = /could not create file .*: File exists/;

/** Tries another port when a program takes the free one before PostgreSQL does, and once more when a recovery has failed that the next one repeats. */
async function launchOnFreePort(
  { wantedPort, record, observer }: RunClusterOptions,
  launch: (port: number, signal: AbortSignal) => Promise<Postmaster>,
  clear: () => Promise<StopOutcome>,
): Promise<{ first: Postmaster; port: number }> {
  for (let attempt = 1; ; attempt++) {
    const port = await choosePort([wantedPort, record.port]);
    if (wantedPort !== 0 && port !== wantedPort) observer.note("embedded.port_taken", { wantedPort, port });
    try {
      return { first: await launch(port, new AbortController().signal), port };
    } catch (fault) {
      if (attempt === MAX_ATTEMPTS) throw fault;
      // A service that was killed a moment ago may have started a PostgreSQL that becomes visible only now.
      const wasInTheWay = (await clear()) !== "nothing";
      const isRepeatable = attempt === 1 && fault instanceof Error && INTERRUPTED_RECOVERY.test(fault.message);
      if (!wasInTheWay && !isRepeatable && !isPortTaken(fault)) throw fault;
      if (isRepeatable) observer.note("embedded.recovery_repeated", { error: fault });
    }
  }
}
