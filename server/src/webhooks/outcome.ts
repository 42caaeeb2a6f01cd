import type { OutboundFault, OutboundResult } from "../outbound/index.ts";
import { parseRetryAfterMs } from "./retry-after.ts";
import { addJitterMs, findScheduledDelayMs, type Schedule } from "./schedule.ts";

/*
 * States of a delivery, and what moves it on:
 *
 *   pending   made by an event, a test, a replay; or put back from failed, by hand or by a recovery
 *             → delivered on 2xx; → retrying when the attempt may be repeated; → failed otherwise
 *   retrying  waits for next_retry_at, which is set in this state alone
 *             → delivered, retrying, failed as above
 *   failed    retries are used up, or the answer was not one to repeat
 *             → pending, when somebody asks for it
 *   delivered is final
 *
 * A lease says who is sending; it is no state. An attempt that was cut off by ourselves has no outcome: it is made again.
 */

/** What an attempt came to, apart from those that we broke off ourselves. */
export type AttemptResult =
  | Extract<OutboundResult, { kind: "answered" }>
  | (Extract<OutboundResult, { kind: "failed" }> & { readonly code: Exclude<OutboundFault, "aborted"> });

export interface OutcomeQuestion {
  readonly result: AttemptResult;
  /** The attempt that was made, counted from 1 within its round. */
  readonly attempt: number;
  /** Attempts that may follow the first one. */
  readonly maxRetries: number;
  readonly schedule: Schedule;
  readonly now: Date;
  /** A number from 0 up to 1. */
  readonly random: number;
}

export interface Outcome {
  readonly status: "delivered" | "retrying" | "failed";
  /** Set when and only when the status is retrying. */
  readonly retryDelayMs: number | null;
  /** How long nothing more is to be sent to this endpoint. */
  readonly pauseMs: number | null;
  /** The endpoint says that it is gone for good. */
  readonly shouldDisable: boolean;
}

const TOO_MANY_REQUESTS = 429;
const SERVICE_UNAVAILABLE = 503;
const GONE = 410;
/** An endpoint that has had too much, and does not say for how long, is left alone for no more than this. */
const MAX_UNASKED_PAUSE_MS = 60_000;

export function decideOutcome(question: OutcomeQuestion): Outcome {
  const { result, attempt, maxRetries, schedule, now, random } = question;
  if (result.kind === "answered" && result.status >= 200 && result.status < 300) return settled("delivered");
  if (result.kind === "answered" && result.status === GONE) return { ...settled("failed"), shouldDisable: true };
  if (!mayRepeat(result)) return settled("failed");

  const scheduledMs = findScheduledDelayMs(schedule, attempt + 1);
  const askedMs = readAskedMs(result, now);
  const pauseMs = isThrottling(result) ? (askedMs ?? Math.min(scheduledMs, MAX_UNASKED_PAUSE_MS)) : askedMs;
  if (attempt > maxRetries) return { ...settled("failed"), pauseMs };
  const retryDelayMs = addJitterMs(Math.max(scheduledMs, askedMs ?? 0), random);
  return { status: "retrying", retryDelayMs, pauseMs, shouldDisable: false };
}

function settled(status: "delivered" | "failed"): Outcome {
  return { status, retryDelayMs: null, pauseMs: null, shouldDisable: false };
}

function mayRepeat(result: AttemptResult): boolean {
  if (result.kind === "answered") return result.status >= 500 || result.status === TOO_MANY_REQUESTS;
  switch (result.code) {
    case "dns":
    case "connect_refused":
    case "connect_timeout":
    case "timeout":
    case "tls":
    case "reset":
    case "protocol":
      return true;
    // Nothing about these changes by waiting.
    case "blocked_address":
    case "invalid_url":
    case "invalid_header":
      return false;
  }
}

function isThrottling(result: AttemptResult): boolean {
  return result.kind === "answered" && result.status === TOO_MANY_REQUESTS;
}

function readAskedMs(result: AttemptResult, now: Date): number | null {
  if (result.kind !== "answered") return null;
  const isListenedTo = result.status === TOO_MANY_REQUESTS || result.status === SERVICE_UNAVAILABLE;
  return isListenedTo ? parseRetryAfterMs(result.retryAfter, now) : null;
}
