import { ModelError } from "./model-error.ts";

export interface DeadlineTimes {
  readonly firstByteMs: number;
  readonly idleMs: number;
  readonly totalMs: number;
}

/** The end of one attempt: aborted by the caller or by one of three timers, whichever comes first. */
export interface Deadlines {
  readonly signal: AbortSignal;
  /** Bytes came in. */
  touch(): void;
  /** Waits count only while somebody waits: a slow reader is no fault of the provider's. */
  wait<T>(promise: Promise<T>): Promise<T>;
  /** Ends whatever still hangs on the signal. */
  close(): void;
}

/** One for all: making an error takes longer than everything else here. */
const CLOSED = new Error("the attempt is over");

export function startDeadlines(caller: AbortSignal, times: DeadlineTimes): Deadlines {
  const controller = new AbortController();
  const abort = () => controller.abort(caller.reason);
  if (caller.aborted) abort();
  else caller.addEventListener("abort", abort, { once: true });
  let isWaiting = true;
  let hasBegun = false;
  let refuse: (reason: unknown) => void = () => {};
  controller.signal.addEventListener("abort", () => refuse(controller.signal.reason), { once: true });
  const give = (what: string) =>
    controller.abort(new ModelError("PROVIDER_TIMEOUT", `the provider ${what}`, { isRetryable: true }));
  let heard = 0;
  /** Where it was this process that stood still, timers come before the bytes that wait, which are heard by the next turn. */
  const giveUnlessHeard = (what: string) => {
    const before = heard;
    setImmediate(() => {
      if (heard === before) give(what);
    });
  };
  const total = setTimeout(() => give("did not finish in time"), times.totalMs);
  let silence = setTimeout(() => giveUnlessHeard("did not begin to answer in time"), times.firstByteMs);
  const idle = () => {
    if (isWaiting) giveUnlessHeard("fell silent in the middle of its answer");
  };
  return {
    signal: controller.signal,
    touch() {
      heard += 1;
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
      // Not a race with one long promise of the end: that would keep every step's value until then.
      return new Promise((resolve, reject) => {
        refuse = reject;
        if (controller.signal.aborted) refuse(controller.signal.reason);
        promise.then(
          (value) => {
            isWaiting = false;
            resolve(value);
          },
          (error: unknown) => {
            isWaiting = false;
            refuse(error);
          },
        );
      });
    },
    close() {
      clearTimeout(total);
      clearTimeout(silence);
      caller.removeEventListener("abort", abort);
      // A socket that is still open belongs to an answer that nobody reads any more.
      controller.abort(CLOSED);
    },
  };
}
