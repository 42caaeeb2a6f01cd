import { setTimeout as sleep } from "node:timers/promises";
import { WAIT_MS } from "./wait-limit.ts";

const POLL_MS = 10;

/** Polls until the condition holds. Fails with `what` and the state after `WAIT_MS`. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what = "the condition holds",
  describeState: () => string = () => "",
): Promise<void> {
  const deadlineMs = performance.now() + WAIT_MS;
  while (!(await condition())) {
    if (performance.now() > deadlineMs) throw new Error(`waited too long until ${what}\n${describeState()}`.trimEnd());
    await sleep(POLL_MS);
  }
}
