import { ModelError } from "../../errors/index.ts";

export interface DeadlineTimes {
  readonly firstByteMs: number;
  readonly idleMs: number;
  readonly totalMs: number;
}

/** Aborts one attempt when the parent signal is aborted or one of three timers fires. */
export interface Deadlines {
  readonly signal: AbortSignal;
  /** Call when bytes arrive. */
  touch(): void;
  /** The idle timer counts only during a wait, so a slow reader does not time out the provider. */
  wait<T>(promise: Promise<T>): Promise<T>;
  /** Aborts everything that still depends on the signal. */
  close(): void;
}

/** Shared, because creating an error takes longer than everything else here. */
const CLOSED = new Error("the attempt is over");

export function startDeadlines(parent: AbortSignal, times: DeadlineTimes): Deadlines {
  const controller = new AbortController();
  const abort = () => controller.abort(parent.reason);
  if (parent.aborted) abort();
  else parent.addEventListener("abort", abort, { once: true });
  let isWaiting = true;
  let hasBegun = false;
  let rejectWait: (reason: unknown) => void = () => {};
  controller.signal.addEventListener("abort", () => rejectWait(controller.signal.reason), { once: true });
  const timeOut = (what: string) =>
    controller.abort(new ModelError("PROVIDER_TIMEOUT", `the provider ${what}`, { isRetryable: true }));
  let touchCount = 0;
  /** After this process was blocked, timers fire before pending bytes are read. Those arrive before the next setImmediate. */
  const timeOutIfSilent = (what: string) => {
    const before = touchCount;
    setImmediate(() => {
      if (touchCount === before) timeOut(what);
    });
  };
  const total = setTimeout(() => timeOut("did not finish in time"), times.totalMs);
  let silence = setTimeout(() => timeOutIfSilent("did not begin to answer in time"), times.firstByteMs);
  const idle = () => {
    if (isWaiting) timeOutIfSilent("fell silent in the middle of its answer");
  };
  return {
    signal: controller.signal,
    touch() {
      touchCount += 1;
      if (hasBegun) silence.refresh();
      else if (!controller.signal.aborted) {
        hasBegun = true;
        clearTimeout(silence);
        silence = setTimeout(idle, times.idleMs);
      }
    },
    wait(promise) {
      isWaiting = true;
      if (hasBegun) silence.refresh();
      // Promise.race with one long-lived promise would retain the value of every wait.
      return new Promise((resolve, reject) => {
        rejectWait = reject;
        if (controller.signal.aborted) rejectWait(controller.signal.reason);
        promise.then(
          (value) => {
            isWaiting = false;
            resolve(value);
          },
          (error: unknown) => {
            isWaiting = false;
            rejectWait(error);
          },
        );
      });
    },
    close() {
      clearTimeout(total);
      clearTimeout(silence);
      parent.removeEventListener("abort", abort);
      // Closes the socket of an answer that is no longer read.
      controller.abort(CLOSED);
    },
  };
}
