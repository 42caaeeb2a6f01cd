import { setTimeout as sleep } from "node:timers/promises";
import { type ExtensionCommandContext, parseOptions } from "swarmbase/extension";
import type { Archive, Figures } from "../archive/archive.ts";
import { parseLsn } from "../archive/lsn.ts";
import { planRestore, type RestorePlan } from "../archive/plan-restore.ts";
import { readCopy } from "../archive/read-copy.ts";
import { checkCopy, compareFigures } from "../figures/sql/check-copy.ts";
import { takeFigures } from "../figures/take-figures.ts";
import { withArchive } from "../open-target.ts";
import type { BackupRows } from "../settings.ts";

const POLL_MS = 250;
/** How much longer than its own delay the archive may take to reach the position of the figures. */
const ARRIVAL_LIMIT_MS = 60_000;

type Context = ExtensionCommandContext<BackupRows>;

/** Recovers the newest base backup in a temporary database, and compares its tables with those of the original. */
export async function runVerifyCommand(context: Context): Promise<number> {
  const { values } = parseOptions(context.args, {
    verify: { type: "boolean" },
    from: { type: "string" },
    in: { type: "string" },
  });
  const { copies, signal, stdout } = context;
  return withArchive(context, values.from, async (archive) => {
    const fresh = await takeFresh(context, archive);
    const plan = await planRestore(archive, null, signal);
    const figures = fresh ?? (await findStored(archive, plan, signal));
    const copy = readCopy(archive, plan, figures === null ? null : { lsn: figures.lsn }, signal);
    const { base, wal } = plan;
    const options = { folder: values.in ?? null, database: base.database };
    const result = await copies.tryOut(copy, options, async (client) => ({
      differences: figures === null ? null : await compareFigures(client, figures),
      checked: await checkCopy(client),
    }));
    stdout.write(`Recovered the base backup of ${base.stoppedAt} with ${wal.pieces.length} objects of WAL.\n`);
    const { differences, checked } = result;
    stdout.write(
      checked === null
        ? "The extension amcheck is not available, so indexes were not checked.\n"
        : `${checked.tables} tables and ${checked.indexes} indexes are intact.\n`,
    );
    if (figures === null || differences === null) {
      stdout.write("The archive has no figures to compare the tables with.\n");
      return 0;
    }
    for (const difference of differences) stdout.write(`${difference}\n`);
    const tables = Object.keys(figures.tables).length;
    if (differences.length > 0) return 1;
    stdout.write(`${tables} tables have the same rows as the database at ${figures.takenAt}.\n`);
    return 0;
  });
}

/** The tables of the database as they are now, once the archive includes that position; null when it cannot be reached. */
async function takeFresh(context: Context, archive: Archive): Promise<Figures | null> {
  const { copies, stderr, signal, settings } = context;
  try {
    const server = await copies.findServer();
    const figures = await takeFigures(await server.locate(), signal);
    const limitMs = performance.now() + settings.BACKUP_DELAY_SECONDS * 1_000 + ARRIVAL_LIMIT_MS;
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
