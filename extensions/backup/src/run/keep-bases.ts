import { setTimeout as sleep } from "node:timers/promises";
import { parseLsn, segmentStart } from "../archive/lsn.ts";
import { planRetention } from "../archive/plan-retention.ts";
import { readBases } from "../archive/plan-restore.ts";
import { takeFigures } from "../figures/take-figures.ts";
import type { CompletedBases } from "./report.ts";
import type { SessionContext } from "./session-context.ts";
import { openVerificationSchedule } from "./verification-schedule.ts";
import { copyCluster } from "./copy-cluster.ts";

const RETRY_MS = 60_000;
const LONGEST_WAIT_MS = 60_000;

/** Makes a base backup when one is due, then removes what no base backup needs that stays, and verifies the archive when that is due. */
export async function keepBases(context: SessionContext, signal: AbortSignal): Promise<void> {
  const { session, slotName, rules, report } = context;
  const verifications = openVerificationSchedule(context);
  // Read once, because lists of large archives cost.
  let bases: CompletedBases | null | undefined;
  while (!signal.aborted) {
    let waitMs = RETRY_MS;
    try {
      bases ??= await findBases(context, signal);
      if (bases !== null) report.based(bases);
      const { at } = await session.readState(slotName);
      const dueInMs = bases === null ? 0 : bases.newest.getTime() + rules.baseEveryMs - at.getTime();
      if (dueInMs <= 0) {
        const newest = await copyCluster(context, signal);
        bases = { oldest: bases?.oldest ?? newest, newest };
        report.based(bases);
        // The oldest goes with what is removed.
        bases = null;
        await recordFigures(context, signal);
        await removeOld(context, signal);
      }
      // In turn with base backups, because retention removes what a verification reads.
      await verifications.runIfDue(signal);
      // Clocks can be set, so a long wait is made of short ones.
      waitMs = Math.min(Math.max(dueInMs, 0), LONGEST_WAIT_MS);
    } catch (error) {
      // The WAL of the last base backup is still archived.
      if (!signal.aborted) report.fail("a base backup failed", error);
    }
    await sleep(waitMs, undefined, { signal }).catch(() => {});
  }
}

async function findBases(
  { archive, chain, progress }: SessionContext,
  signal: AbortSignal,
): Promise<CompletedBases | null> {
  const own = (await archive.list(signal)).filter(({ id }) => id === chain);
  const found = await readBases(archive, own, signal);
  const [oldest, newest] = [found.at(0), found.at(-1)];
  if (oldest === undefined || newest === undefined) return null;
  progress.base = newest.base.id;
  return { oldest: new Date(oldest.base.stoppedAt), newest: new Date(newest.base.stoppedAt) };
}

/** For `backup --verify`, also on a machine that does not reach the database. */
async function recordFigures({ archive, chain, server, report }: SessionContext, signal: AbortSignal): Promise<void> {
  try {
    const figures = await takeFigures(server, signal);
    await archive.putFigures(chain, parseLsn(figures.lsn), figures, signal);
  } catch (error) {
    if (!signal.aborted) report.fail("the tables were not counted, so only their structure can be verified", error);
  }
}

/** Leaves the chains of other servers alone. */
async function removeOld(context: SessionContext, signal: AbortSignal): Promise<void> {
  const { archive, chain, rules, report, systemId } = context;
  const sizes = new Map<string, bigint>();
  const chains = [];
  for (const listed of await archive.list(signal)) {
    if (!listed.hasDescription) continue;
    const description = await archive.getChain(listed.id, signal);
    if (description.systemId !== systemId) continue;
    sizes.set(listed.id, BigInt(description.segmentBytes));
    chains.push(listed);
  }
  const bases = (await readBases(archive, chains, signal)).map(({ chain: { id }, base }) => ({
    chain: id,
    base: base.id,
    walStart: segmentStart(parseLsn(base.startLsn), sizes.get(id) ?? 1n),
  }));
  const plan = planRetention({ chains, bases, keep: rules.keep, current: chain });
  for (const name of plan.names) await archive.remove(name, signal);
  if (plan.names.length > 0) report.note("removed old backups", { bases: plan.bases, objects: plan.names.length });
}
