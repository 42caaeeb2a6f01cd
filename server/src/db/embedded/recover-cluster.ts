import { open } from "node:fs/promises";
import { join } from "node:path";
import { EmbeddedError } from "./embedded-error.ts";
import { locateBinaries } from "./locate-binaries.ts";
import { preparePlace } from "./place-cluster.ts";
import { provideBinaries } from "./provide-binaries.ts";
import { type ProgramResult, runProgram } from "./run-program.ts";
import { measureMachine, sizeMemory } from "./size-memory.ts";
import { configurationPath, writeConfiguration } from "./write-configuration.ts";

/**
 * Transactions that committed until this time, which has a numeric offset, or whose commit record begins before this position.
 */
export type RecoveryTarget = { readonly time: string } | { readonly lsn: string };

interface RecoverClusterOptions {
  /** Made by `prepareCopy`, with the files of a base backup and with the WAL in `pg_wal`. */
  readonly dataDir: string;
  /** Null means that recovery goes to the end of the WAL. */
  readonly target: RecoveryTarget | null;
  /** Executed as the superuser after the recovery, each on one line. */
  readonly statements: readonly string[];
  readonly signal: AbortSignal;
}

const SIGNAL_FILE = "recovery.signal";
const ENDED_BEFORE_TARGET = "recovery ended before configured recovery target was reached";
const QUOTED_LINES = 8;

/**
 * Replays the WAL of a copied cluster and stops it again. A stand-alone backend does it: it opens no port, asks for no password,
 * and its exit code tells the outcome.
 */
export async function recoverCluster(o: RecoverClusterOptions): Promise<void> {
  const { home, clusterDir, account } = await preparePlace(o.dataDir);
  const binaryPackage = await locateBinaries(process.platform, process.arch);
  const { postgres } = await provideBinaries({ binaryPackage, home, account });
  await writeConfiguration(home, sizeMemory(measureMachine()));
  const signalFile = await open(join(clusterDir, SIGNAL_FILE), "wx", 0o600);
  if (account !== null) await signalFile.chown(account.uid, account.gid);
  await signalFile.close();

  const run = (target: RecoveryTarget | null): Promise<ProgramResult> => {
    const settings = { config_file: configurationPath(home), ...RECOVERY_SETTINGS, ...renderTarget(target) };
    const options = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    const input = o.statements.map((statement) => `${statement}\n`).join("");
    return runProgram(postgres, ["--single", "-D", clusterDir, ...options, "postgres"], {
      account,
      cwd: clusterDir,
      input,
      signal: o.signal,
    });
  };
  let result = await run(o.target);
  // PostgreSQL notices a time only at a later commit. When there is none, the end of the WAL is the requested state.
  if (result.code !== 0 && o.target !== null && result.output.includes(ENDED_BEFORE_TARGET)) result = await run(null);
  o.signal.throwIfAborted();
  if (result.code === 0 && !/^.*\b(ERROR|FATAL|PANIC):/m.test(result.output)) return;
  const lines = result.output.trimEnd().split("\n").slice(-QUOTED_LINES).join("\n");
  throw new EmbeddedError(`PostgreSQL could not replay the write-ahead log of the backup. Its output:\n${lines}`);
}

const RECOVERY_SETTINGS = {
  // Everything that is needed is in pg_wal already.
  restore_command: "exit 1",
  recovery_target_action: "promote",
  // A stand-alone backend cannot be a standby, and a smaller machine could not be one of a larger.
  hot_standby: "off",
} as const;

function renderTarget(target: RecoveryTarget | null): Readonly<Record<string, string>> {
  if (target === null) return {};
  return "time" in target
    ? { recovery_target_time: target.time, recovery_target_inclusive: "on" }
    : { recovery_target_lsn: target.lsn, recovery_target_inclusive: "off" };
}
