import { attach, readUntilWaiting } from "@swarmbase/sdk";
import { readRows } from "swarmbase/extension";
import type { Session } from "./target.ts";

/** The events of a run until it ends or waits. */
export type RunEvents = ReturnType<typeof readUntilWaiting>;

/** Reads a run from its first event. Calls that were answered before are among its events. */
export async function followRun({ core, signal }: Session, runId: string): Promise<RunEvents> {
  const query = `select=id&run_id=eq.${runId}&status=not.in.(pending_approval,pending_client)`;
  const answered = await readRows<{ readonly id: string }>(core, "/tool_executions", query);
  return readUntilWaiting(core, attach(core, runId, { signal }), { answeredIds: answered.map(({ id }) => id) });
}
