import { openChain } from "./open-chain.ts";
import { keepBases } from "./keep-bases.ts";
import { type ArchiverOptions, QUEUE_LIMIT_BYTES } from "./session-context.ts";
import { identifyServer, type ServerSession } from "./sql/server-session.ts";
import { storeWal } from "./store-wal.ts";
import { limitKeptWal, watchSlot } from "./watch-slot.ts";
import { WalQueue } from "./wal-queue.ts";
import { WalStream } from "./wal-stream.ts";

/** Streams the WAL and makes base backups until the signal is aborted. Rejects when a part fails. */
export async function runSession(options: ArchiverOptions, session: ServerSession, signal: AbortSignal): Promise<void> {
  const { archive, server, slotPrefix, report, now } = options;
  // Also when the target cannot even be listed, and no session gets further than this.
  for (const slotName of await session.listSlots(slotPrefix))
    await limitKeptWal({ ...options, slotName }, session, { hasWarned: false, stopReading: async () => {} });
  const identity = await identifyServer(server.replicationUrl);
  const opened = await openChain({ archive, session, identity, slotPrefix, signal, now });
  const { slotName } = opened;
  if (opened.newBecause === null) report.note("continues the archive", { chain: opened.id });
  else report.note(`begins a new chain: ${opened.newBecause}`, { chain: opened.id });
  const queue = new WalQueue(opened.end);
  const stream = new WalStream({
    url: server.replicationUrl,
    slotName,
    timeline: identity.timeline,
    start: opened.end,
    onChunk: (chunk) => {
      queue.push(chunk);
      if (queue.bytes > QUEUE_LIMIT_BYTES) stream.pause();
    },
  });
  const context = {
    ...options,
    session,
    chain: opened.id,
    slotName,
    systemId: identity.systemId,
    queue,
    stream,
    progress: { stored: opened.end, base: null },
  };
  const failed = new AbortController();
  const together = AbortSignal.any([signal, failed.signal, session.lost]);
  try {
    await stream.start();
    // What the first one finds out explains why the others fail.
    const parts = [watchSlot, storeWal, keepBases].map(async (run) => {
      try {
        await run(context, together);
      } catch (error) {
        failed.abort(error);
        throw error;
      }
    });
    void stream.ended.then((reason) => failed.abort(reason));
    const outcomes = await Promise.allSettled(parts);
    if (signal.aborted) return;
    const reasons = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason as unknown] : []));
    throw reasons.find((reason) => !isAbort(reason)) ?? together.reason;
  } finally {
    failed.abort();
    await stream.close();
  }
}

function isAbort(reason: unknown): boolean {
  return reason instanceof Error && reason.name === "AbortError";
}
