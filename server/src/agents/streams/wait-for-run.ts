import { setTimeout as sleep } from "node:timers/promises";
import type { RunEvent } from "./stream-hub.ts";
import type { Subscriber } from "./subscriber.ts";
import { isAtWork, isEndEvent, type RunBody } from "./run-body.ts";

const PAUSE_POLL_MS = 100;
/** A sub-task that has to wait for somebody is noticed by polling, its end by an event. */
const SUB_TASK_POLL_MS = 500;
const STEP_MS = 60_000;
/** Long enough for a node that polls once a second. */
const RESUME_WAIT_MS = 2_000;
const RESUME_POLL_MS = 50;

interface WaitOptions {
  readonly first: readonly RunEvent[];
  /** The stream hub's event has its keys in documented order; a stored event does not. */
  readonly isStartedHere: boolean;
  /** How long to wait for a queued run to start. */
  readonly queueWaitMs: number;
  /** Null when the run was deleted. */
  readBody(): Promise<RunBody | null>;
  onLeft(): Promise<void>;
}

/**
 * Resolves when the run has ended, waits for anything but the work of sub-tasks, or has been queued too long. `gone`: the run was
 * deleted, or the reader disconnected or may no longer see it. `unreachable`: the database is unavailable.
 */
export async function waitForRun(
  subscriber: Subscriber,
  options: WaitOptions,
): Promise<RunBody | "gone" | "unreachable"> {
  const readBody = async (): Promise<RunBody | "gone"> => (await options.readBody()) ?? "gone";
  const queuedUntilMs = performance.now() + options.queueWaitMs;
  let hasStarted = options.first.some(isStart);
  let mayPause = false;
  let pollMs = PAUSE_POLL_MS;
  try {
    for (;;) {
      const queueLeftMs = hasStarted ? STEP_MS : Math.max(0, queuedUntilMs - performance.now());
      const step = await subscriber.next(mayPause ? pollMs : queueLeftMs);
      switch (step.kind) {
        case "events": {
          const end = step.events.find(({ type }) => isEndEvent(type));
          if (end !== undefined) return options.isStartedHere ? (end.data as RunBody) : await readBody();
          hasStarted ||= step.events.some(isStart);
          mayPause = step.events.reduce(mayPauseAfter, mayPause);
          break;
        }
        case "idle": {
          if (hasStarted && !mayPause) break;
          const body = await readBody();
          if (body === "gone" || !isAtWork(body)) return body;
          hasStarted = true;
          pollMs = body.status === "running" ? PAUSE_POLL_MS : SUB_TASK_POLL_MS;
          break;
        }
        case "left":
          await options.onLeft();
          return "gone";
        case "over":
        case "stopping":
          return await readBody();
        case "forbidden":
          return "gone";
        case "unreachable":
          return "unreachable";
      }
    }
  } finally {
    subscriber.close();
  }
}

/** A run that waits for nothing more continues at once, unless another run of its swarm is running. */
export async function waitForResumption(decided: RunBody, readBody: () => Promise<RunBody | null>): Promise<RunBody> {
  const deadlineMs = performance.now() + RESUME_WAIT_MS;
  let body = decided;
  while (waitsForItsTurn(body) && performance.now() < deadlineMs) {
    await sleep(RESUME_POLL_MS);
    // The decisions are stored: when this read fails, the last known state is the answer.
    const later = await readBody().catch(() => null);
    if (later === null) break;
    body = later;
  }
  return body;
}

function waitsForItsTurn({ status, pending_approvals, pending_client_calls, pending_waits }: RunBody): boolean {
  const isSuspended = status === "requires_action" || status === "waiting";
  return isSuspended && [pending_approvals, pending_client_calls, pending_waits].every((calls) => !calls?.length);
}

function isStart({ type }: RunEvent): boolean {
  return type === "run.started";
}

function mayPauseAfter(before: boolean, { type }: RunEvent): boolean {
  if (type === "tool.approval_required" || type === "tool.client_call" || type === "tool.waiting") return true;
  return type === "run.started" ? false : before;
}
