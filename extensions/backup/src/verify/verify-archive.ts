import { dirname, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { ExtensionCommandContext } from "swarmbase/extension";
import type { Archive, Figures } from "../archive/archive.ts";
import { compareHead } from "../archive/compare-head.ts";
import { parseLsn, renderLsn } from "../archive/lsn.ts";
import { planRestore, type RestorePlan } from "../archive/plan-restore.ts";
import { readCopy } from "../archive/read-copy.ts";
import { closeOnAbort } from "../figures/close-on-abort.ts";
import { checkCopy, compareFigures } from "../figures/sql/check-copy.ts";
import { takeFigures } from "../figures/take-figures.ts";
import type { BackupRows } from "../settings.ts";
import { requireSpace } from "./require-space.ts";

const POLL_MS = 250;
/** How much longer than its own delay the archive may take to reach the position of the figures. */
const ARRIVAL_LIMIT_MS = 60_000;

type Context = ExtensionCommandContext<BackupRows>;

/** What is being verified, as far as it is known. */
export interface VerifiedSubject {
  chain: string | null;
  base: string | null;
  lsn: string | null;
}

interface VerifyOptions {
  readonly archive: Archive;
  /** For the temporary database; null means beside the data directory. */
  readonly folder: string | null;
  /** Filled in, also for a verification that fails. */
  readonly subject: VerifiedSubject;
}

/**
 * Recovers the newest base backup in a temporary database, and prints how its tables compare with those of the original. Resolves
 * with the differences.
 */
export async function verifyArchive(context: Context, options: VerifyOptions): Promise<readonly string[]> {
  const { archive, folder, subject } = options;
  const { copies, signal, stdout, serviceSettings } = context;
  const fresh = await takeFresh(context, archive);
  const plan = await planRestore(archive, null, signal);
  const { chain, base, wal } = plan;
  Object.assign(subject, { chain: chain.id, base: base.id });
  await compareHead(archive, signal);
  const figures = fresh ?? (await findStored(archive, plan, signal));
  subject.lsn = figures?.lsn ?? renderLsn(wal.end);
  await requireSpace(plan, folder === null ? dirname(resolve(serviceSettings.dataDir)) : resolve(folder));
  const copy = readCopy(archive, plan, figures === null ? null : { lsn: figures.lsn }, signal);
  const { differences, checked } = await copies.tryOut(copy, { folder, database: base.database }, async (client) => {
    const release = closeOnAbort([client], signal);
    try {
      signal.throwIfAborted();
      const found = figures === null ? null : await compareFigures(client, figures);
      return { differences: found, checked: await checkCopy(client) };
    } finally {
      release();
    }
  });
  stdout.write(`Recovered the base backup of ${base.stoppedAt} with ${wal.pieces.length} objects of WAL.\n`);
  stdout.write(
    checked === null
      ? "The extension amcheck is not available, so indexes were not checked.\n"
      : `${checked.tables} tables and ${checked.indexes} indexes are intact.\n`,
  );
  if (figures === null || differences === null) {
    stdout.write("The archive has no figures to compare the tables with.\n");
    return [];
  }
  for (const difference of differences) stdout.write(`${difference}\n`);
  const tables = Object.keys(figures.tables).length;
  if (differences.length === 0)
    stdout.write(`${tables} tables have the same rows as the database at ${figures.takenAt}.\n`);
  return differences;
}

/** The tables of the database as they are now, once the archive includes that position; null when it cannot be reached. */
async function takeFresh(context: Context, archive: Archive): Promise<Figures | null> {
  const { copies, stderr, signal, settings } = context;
  try {
    const server = await copies.findServer();
    const figures = await takeFigures(await server.locate(), signal);
    const limitMs = performance.now() + settings.BACKUP_WAL_INTERVAL_SECONDS * 1_000 + ARRIVAL_LIMIT_MS;
    while (performance.now() < limitMs) {
      const plan = await planRestore(archive, null, signal).catch(() => null);
      if (plan !== null && plan.wal.end >= parseLsn(figures.lsn)) return figures;
      await sleep(POLL_MS, undefined, { signal });
    }
    stderr.write(
      "The archive does not follow the database, so it is compared with the figures of its last base backup.\n",
    );
  } catch (error) {
    signal.throwIfAborted();
    const reason = error instanceof Error ? error.message : String(error);
    stderr.write(`The database cannot be read (${reason}), so the figures of the last base backup are compared.\n`);
  }
  return null;
}

async function findStored(
  archive: Archive,
  { chain, base, wal }: RestorePlan,
  signal: AbortSignal,
): Promise<Figures | null> {
  const usable = chain.figures.findLast(({ lsn }) => lsn >= parseLsn(base.stopLsn) && lsn <= wal.end);
  return usable === undefined ? null : archive.getFigures(usable.name, signal);
}
