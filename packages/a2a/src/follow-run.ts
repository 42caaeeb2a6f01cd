import { setTimeout as sleep } from "node:timers/promises";
import type { RunStream, RunStreamEvent } from "@swarmbase/sdk";
import { TaskState } from "@a2a-js/sdk";
import type { Session } from "./target.ts";
import { isTerminal, readTask } from "./tasks.ts";

/** The stream of a run has no event for the moment at which the run begins to wait. */
const PAUSE_POLL_MS = 100;

type Step = IteratorResult<RunStreamEvent, void> | "waits" | "goes on";

/** The events of a run until it ends, or `waits` as the last one when it waits for approvals or results of the client. */
export async function* followRun(
  session: Session,
  open: (signal: AbortSignal) => RunStream,
): AsyncGenerator<RunStreamEvent | "waits", void, undefined> {
  const ended = new AbortController();
  const signal = AbortSignal.any([session.signal, ended.signal]);
  const reading = open(signal)[Symbol.asyncIterator]();
  let watch: PauseWatch | null = null;
  let next = reading.next();
  try {
    for (;;) {
      const step: Step = await (watch === null ? next : Promise.race([next, watch.outcome]));
      if (step === "waits") {
        yield step;
        return;
      }
      if (step === "goes on") {
        watch = null;
        continue;
      }
      if (step.done === true) return;
      const event = step.value;
      if (event.type === "run.started") {
        watch?.stop();
        watch = null;
      }
      if (event.type === "tool.approval_required" || event.type === "tool.client_call")
        watch ??= watchPause(session, event.data.run_id, signal);
      yield event;
      next = reading.next();
    }
  } finally {
    watch?.stop();
    // A read that is in progress ends with the reason of the signal, which nobody needs any more.
    next.catch(() => {});
    ended.abort();
  }
}

interface PauseWatch {
  readonly outcome: Promise<"waits" | "goes on">;
  stop(): void;
}

/** Other calls of the same turn can still be executed after the event that a call waits. */
function watchPause(session: Session, runId: string, signal: AbortSignal): PauseWatch {
  const stopped = new AbortController();
  const stopping = AbortSignal.any([signal, stopped.signal]);
  const poll = async (): Promise<"waits" | "goes on"> => {
    while (!stopping.aborted) {
      const task = await readTask(session, runId, { hasArtifacts: false });
      if (task.status?.state === TaskState.TASK_STATE_INPUT_REQUIRED) return "waits";
      if (isTerminal(task)) return "goes on";
      await sleep(PAUSE_POLL_MS, undefined, { signal: stopping }).catch(() => {});
    }
    return "goes on";
  };
  const outcome = poll();
  // The watch can be stopped before anybody waits for it.
  outcome.catch(() => {});
  return { outcome, stop: () => stopped.abort() };
}
