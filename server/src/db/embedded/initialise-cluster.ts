import { randomBytes } from "node:crypto";
import { chown, mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { syncFolder } from "../../crypto/index.ts";
import type { Account } from "./choose-account.ts";
import { listClusterProcesses } from "./cluster-processes.ts";
import { EmbeddedError } from "./embedded-error.ts";
import { removeTree } from "./place-cluster.ts";
import { killQuietly } from "./process-state.ts";
import { runProgram } from "./run-program.ts";

const TEMPORARY_PREFIX = "unfinished-";
const QUOTED_LINES = 8;

/** Creates the cluster atomically: it gets its name when it is complete and on disk. */
export async function initialiseCluster(o: {
  readonly home: string;
  readonly clusterDir: string;
  readonly initdb: string;
  readonly account: Account | null;
  readonly superuserPassword: string;
  onWaiting?(): void;
}): Promise<void> {
  const { home, account } = o;
  const unfinished = join(home, TEMPORARY_PREFIX + randomBytes(6).toString("hex"));
  const temporary = join(unfinished, "cluster");
  const passwordFile = join(unfinished, "password");
  try {
    await mkdir(unfinished, { mode: 0o700 });
    await mkdir(temporary, { mode: 0o700 });
    await writeFile(passwordFile, `${o.superuserPassword}\n`, { mode: 0o600, flag: "wx" });
    if (account !== null) {
      for (const path of [passwordFile, temporary, unfinished]) await chown(path, account.uid, account.gid);
    }
    const running = runProgram(o.initdb, initdbArguments(temporary, passwordFile), { account, cwd: temporary });
    o.onWaiting?.();
    const { code, output } = await running;
    await rm(passwordFile, { force: true });
    if (code !== 0) {
      const lines = output.trimEnd().split("\n").slice(-QUOTED_LINES).join("\n");
      throw new EmbeddedError(
        `The database could not be created in ${o.clusterDir} (initdb ended with ${code ?? "a signal"}); nothing was left ` +
          `behind. Its output:\n${lines}`,
      );
    }
    await rename(temporary, o.clusterDir);
    await syncFolder(home);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

/** Removes the remains of first starts that were killed. Requires the lock. */
export async function removeUnfinishedClusters(home: string): Promise<void> {
  for (const name of await readdir(home)) {
    if (!name.startsWith(TEMPORARY_PREFIX)) continue;
    const path = join(home, name);
    for (const pid of await listClusterProcesses(join(path, "cluster"))) killQuietly(pid);
    await removeTree(path);
  }
}

function initdbArguments(clusterDir: string, passwordFile: string): string[] {
  return [
    `--pgdata=${clusterDir}`,
    "--username=postgres",
    `--pwfile=${passwordFile}`,
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    // Collation by PostgreSQL itself and not by the libraries of the system is the same everywhere, and no upgrade of the
    // system corrupts an index.
    "--locale=C",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--text-search-config=english",
    "--data-checksums",
    "--no-instructions",
  ];
}
