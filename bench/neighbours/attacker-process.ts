import { setTimeout as sleep } from "node:timers/promises";
import { answerParent } from "../rest/child.ts";
import { type AttackContext, type AttackName, ATTACKS } from "./attacks.ts";

/** In a separate process, so that the work of the attacker does not delay what the victim measures. */
export type AttackerQuestion =
  | { readonly kind: "start"; readonly attack: AttackName; readonly context: AttackContext }
  | { readonly kind: "stop" };

/** The number of answers by status; 0 is a connection without an answer. */
export type AttackerAnswer = Readonly<Record<string, number>>;

const LONGEST_STOP_MS = 10_000;

let stopping = new AbortController();
let running: Promise<void> = Promise.resolve();
let counts: Record<string, number> = {};

answerParent<AttackerQuestion, AttackerAnswer>(async (question) => {
  if (question.kind === "start") {
    stopping = new AbortController();
    counts = {};
    running = ATTACKS[question.attack](question.context, stopping.signal, (status) => {
      counts[status] = (counts[status] ?? 0) + 1;
    });
    return {};
  }
  stopping.abort();
  await Promise.race([running, sleep(LONGEST_STOP_MS)]);
  return counts;
});
