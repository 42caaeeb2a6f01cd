import { setTimeout as sleep } from "node:timers/promises";
import type { ArchiverOptions, SessionContext } from "./session-context.ts";
import type { ServerSession } from "./sql/server-session.ts";

const EVERY_MS = 2_000;
/** From this share of the limit on, the server keeps so much that an operator should know. */
const WARNING_SHARE = 0.5;
const DROP_ATTEMPTS = 20;
const DROP_WAIT_MS = 250;

/** Limits the kept WAL while a session runs, whether or not the target takes its time. */
export async function watchSlot(context: SessionContext, signal: AbortSignal): Promise<void> {
  const { session, slotName, stream } = context;
  let hasWarned = false;
  while (!signal.aborted) {
    if ((await session.readState(slotName)).slot === null)
      throw new Error("the database has removed WAL that was not archived yet");
    hasWarned = await limitKeptWal(context, session, { hasWarned, stopReading: () => stream.close() });
    await sleep(EVERY_MS, undefined, { signal }).catch(() => {});
  }
}

/**
 * Gives the WAL up that the target has not accepted before it fills the disk of the server. The archive then continues with a new
 * chain and a new base backup, as soon as the target accepts objects again. Resolves with whether the server keeps much.
 */
export async function limitKeptWal(
  {
    slotName,
    rules: { maxKeptBytes },
    report,
  }: Pick<ArchiverOptions, "rules" | "report"> & Pick<SessionContext, "slotName">,
  session: ServerSession,
  { hasWarned, stopReading }: { readonly hasWarned: boolean; stopReading(): Promise<void> },
): Promise<boolean> {
  const { slot } = await session.readState(slotName);
  const keptBytes = slot?.keptBytes ?? 0;
  report.kept(keptBytes);
  if (keptBytes > maxKeptBytes) {
    await stopReading();
    await dropSlot(session, slotName);
    throw new Error(
      `the target did not accept the WAL for so long that the database kept ${keptBytes} bytes, more than ` +
        "BACKUP_WAL_LIMIT_BYTES: the archive has a gap from now on, until its next base backup",
    );
  }
  const isMuch = keptBytes > maxKeptBytes * WARNING_SHARE;
  if (isMuch && !hasWarned)
    report.fail(
      "the database keeps WAL that the target does not accept",
      new Error(`${keptBytes} of at most ${maxKeptBytes} bytes`),
    );
  return isMuch;
}

/** The server needs a moment to notice that its reader is gone. */
async function dropSlot(session: ServerSession, slotName: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await session.dropSlot(slotName);
    } catch (error) {
      if (attempt === DROP_ATTEMPTS) throw error;
      await sleep(DROP_WAIT_MS);
    }
  }
}
