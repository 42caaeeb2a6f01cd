import { setTimeout as sleep } from "node:timers/promises";
import { renderLsn } from "../archive/lsn.ts";
import { QUEUE_LIMIT_BYTES, type SessionContext } from "./session-context.ts";

const OBJECT_BYTES = 16 * 1024 * 1024;
const POLL_MS = 20;
/** How long a sample of the server may wait for its WAL to arrive. */
const ARRIVAL_LIMIT_MS = 5_000;
/** The archive says so often how far it is complete, so that a missing end is noticed, and that there is no new WAL. */
const STATUS_EVERY_MS = 60_000;
/** For the last WAL when the service stops. */
const LAST_PUT_LIMIT_MS = 5_000;

/** Stores the received WAL in objects of bounded size, and confirms it only then to the server. */
export async function storeWal(context: SessionContext, signal: AbortSignal): Promise<void> {
  const { archive, chain, session, slotName, queue, stream, progress, report, rules } = context;
  let completeAt = new Date(0);
  let statusAtMs = Number.NEGATIVE_INFINITY;
  let head = "";

  /** After the objects that it counts: an interruption leaves a head that is too old, never one that is too new. */
  const storeHead = async (at: Date, until: AbortSignal): Promise<void> => {
    const newest = { chain, base: progress.base, lsn: renderLsn(progress.stored) };
    if (JSON.stringify(newest) === head) return;
    await archive.putHead({ ...newest, at: at.toISOString() }, until);
    head = JSON.stringify(newest);
  };

  const storeAll = async (until: AbortSignal, isLast = false): Promise<void> => {
    const state = await session.readState(slotName);
    const giveUpAtMs = performance.now() + ARRIVAL_LIMIT_MS;
    while (queue.end < state.flushed && queue.bytes < QUEUE_LIMIT_BYTES && performance.now() < giveUpAtMs) {
      if (until.aborted) break;
      await sleep(POLL_MS);
    }
    for (let piece = queue.take(OBJECT_BYTES); piece !== null; piece = queue.take(OBJECT_BYTES)) {
      const { start, content } = piece;
      const end = start + BigInt(content.length);
      if (end >= state.flushed) completeAt = state.at;
      await archive.putWal(chain, { start, end, completeAt }, content, until);
      progress.stored = end;
      stream.confirm(end);
      stream.resume();
      // The rest is for the next sample, so that the time keeps up under constant load.
      if (end >= state.flushed) break;
    }
    await storeHead(state.at, until);
    if (progress.stored < state.flushed) return;
    completeAt = state.at;
    report.archived(completeAt);
    if (!isLast && performance.now() - statusAtMs < STATUS_EVERY_MS) return;
    await archive.putStatus(chain, { lsn: renderLsn(progress.stored), at: completeAt.toISOString() }, until);
    statusAtMs = performance.now();
  };

  while (!signal.aborted) {
    await storeAll(signal);
    const nextAtMs = performance.now() + rules.delayMs;
    while (!signal.aborted && performance.now() < nextAtMs && queue.bytes < OBJECT_BYTES)
      await sleep(Math.min(rules.delayMs, POLL_MS * 5));
  }
  // A planned stop stores what there is; whatever is not stored stays in the slot for the next session.
  if (!session.lost.aborted) await storeAll(AbortSignal.timeout(LAST_PUT_LIMIT_MS), true).catch(() => {});
}
