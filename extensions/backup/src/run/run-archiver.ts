import { setTimeout as sleep } from "node:timers/promises";
import { ServerSession } from "./sql/server-session.ts";
import { runSession } from "./run-session.ts";
import type { ArchiverOptions } from "./session-context.ts";

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;
/** How soon another process takes over when the one that archives has ended. */
const STANDBY_POLL_MS = 5_000;
/** A session that lasted so long was not part of a series of failures. */
const STEADY_MS = 60_000;

interface RunArchiverOptions extends ArchiverOptions {
  /** Called once when another process archives to the same target. */
  onStandby(): void;
}

/** Archives until the signal is aborted, in one process at a time over all nodes. Whatever fails is tried again. */
export async function runArchiver(options: RunArchiverOptions, signal: AbortSignal): Promise<void> {
  let waitMs = FIRST_WAIT_MS;
  let isStandby = false;
  while (!signal.aborted) {
    const startedAtMs = performance.now();
    let session: ServerSession | null = null;
    try {
      // Each time, because another server may have become the primary.
      const server = await options.server.locate();
      session = await ServerSession.open(server);
      if (await session.tryLock(options.slotPrefix)) {
        isStandby = false;
        await runSession({ ...options, server }, session, signal);
        continue;
      }
      if (!isStandby) options.onStandby();
      isStandby = true;
      waitMs = STANDBY_POLL_MS;
    } catch (error) {
      if (signal.aborted) return;
      options.report.fail("archiving failed and is tried again", error);
      const isSteady = performance.now() - startedAtMs > STEADY_MS;
      waitMs = isSteady ? FIRST_WAIT_MS : Math.min(waitMs * 2, LONGEST_WAIT_MS);
    } finally {
      await session?.close();
    }
    await sleep(waitMs, undefined, { signal }).catch(() => {});
  }
}
