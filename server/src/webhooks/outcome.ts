import type { OutboundFault, OutboundResult } from "@swarmbase/guarded-fetch";
/*
 * States of a delivery and their transitions:
 *
 *   pending   created by an event, a test or a replay, or reopened from failed by a manual retry or a recovery
 *             → delivered on 2xx; → retrying when the attempt may be retried; → failed otherwise
 *   retrying  waits until next_retry_at, which is set in this state only
 *             → delivered, retrying or failed, as above
 *   failed    all retries are used, or the response rules out a retry
 *             → pending by a manual retry or a recovery
 *   delivered final
 *
 * A lease names the node that sends; it is not a state. An attempt that this process cancels has no outcome and is repeated.
 */

/** Entry k is the delay in seconds before attempt k; the last entry repeats. */
export type Schedule = readonly number[];

/** The result of an attempt that this process did not cancel. */
export type AttemptResult =
  | Extract<OutboundResult, { kind: "answered" }>
  | (Extract<OutboundResult, { kind: "failed" }> & { readonly code: Exclude<OutboundFault, "aborted"> });

interface OutcomeInput {
  readonly result: AttemptResult;
  /** The number of the attempt within its round, from 1. */
  readonly attempt: number;
  /** Attempts that may follow the first. */
  readonly maxRetries: number;
  readonly schedule: Schedule;
  readonly now: Date;
  /** From 0 to 1, as of Math.random. */
  readonly random: number;
}

export interface Outcome {
  readonly status: "delivered" | "retrying" | "failed";
  /** Set if and only if the status is retrying. */
  readonly retryDelayMs: number | null;
  /** How long nothing is sent to this endpoint. */
  readonly pauseMs: number | null;
  /** The endpoint answered 410 Gone. */
  readonly shouldDisable: boolean;
}

const TOO_MANY_REQUESTS = 429;
const SERVICE_UNAVAILABLE = 503;
const GONE = 410;
/** False where waiting changes nothing. */
const IS_RETRYABLE: Readonly<Record<Exclude<OutboundFault, "aborted">, boolean>> = {
  dns: true,
  connect_refused: true,
  connect_timeout: true,
  timeout: true,
  tls: true,
  reset: true,
  protocol: true,
  blocked_address: false,
  invalid_url: false,
  invalid_header: false,
};
const MAX_JITTER_SHARE = 0.1;
const MAX_JITTER_MS = 5_000;
const MAX_RETRY_AFTER_MS = 7_200_000;
const HTTP_DATE = /^(mon|tue|wed|thu|fri|sat|sun)[a-z]*,? /i;
/** The longest pause after a 429 response without Retry-After. */
const MAX_DEFAULT_PAUSE_MS = 60_000;

export function decideOutcome(input: OutcomeInput): Outcome {
  const { result, attempt, maxRetries, schedule, now, random } = input;
  if (result.kind === "answered" && result.status >= 200 && result.status < 300) return settled("delivered");
  if (result.kind === "answered" && result.status === GONE) return { ...settled("failed"), shouldDisable: true };
  if (!isRetryable(result)) return settled("failed");

  const scheduledMs = findScheduledDelayMs(schedule, attempt + 1);
  const retryAfterMs = readRetryAfterMs(result, now);
  const pauseMs = isThrottling(result) ? (retryAfterMs ?? Math.min(scheduledMs, MAX_DEFAULT_PAUSE_MS)) : retryAfterMs;
  if (attempt > maxRetries) return { ...settled("failed"), pauseMs };
  const retryDelayMs = addJitterMs(Math.max(scheduledMs, retryAfterMs ?? 0), random);
  return { status: "retrying", retryDelayMs, pauseMs, shouldDisable: false };
}

function settled(status: "delivered" | "failed"): Outcome {
  return { status, retryDelayMs: null, pauseMs: null, shouldDisable: false };
}

function isRetryable(result: AttemptResult): boolean {
  if (result.kind === "answered") return result.status >= 500 || result.status === TOO_MANY_REQUESTS;
  return IS_RETRYABLE[result.code];
}

function isThrottling(result: AttemptResult): boolean {
  return result.kind === "answered" && result.status === TOO_MANY_REQUESTS;
}

/** Retry-After counts with 429 and 503 only. */
function readRetryAfterMs(result: AttemptResult, now: Date): number | null {
  if (result.kind !== "answered") return null;
  const isHonoured = result.status === TOO_MANY_REQUESTS || result.status === SERVICE_UNAVAILABLE;
  return isHonoured ? parseRetryAfterMs(result.retryAfter, now) : null;
}

/** Reads seconds or an HTTP date as a wait of at most two hours; null when the header is absent or invalid. */
function parseRetryAfterMs(text: string | null, now: Date): number | null {
  const trimmed = text?.trim() ?? "";
  const waitMs = /^\d+(\.\d+)?$/.test(trimmed) ? Number(trimmed) * 1_000 : parseDateMs(trimmed, now);
  return waitMs === null ? null : Math.min(Math.max(Math.ceil(waitMs), 0), MAX_RETRY_AFTER_MS);
}

/** Date.parse accepts almost any text, so the text must start like an HTTP date. */
function parseDateMs(text: string, now: Date): number | null {
  const timeMs = HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(timeMs) ? null : timeMs - now.getTime();
}

/** Attempts count from 1. */
export function findScheduledDelayMs(schedule: Schedule, attempt: number): number {
  const seconds = schedule[Math.min(attempt, schedule.length) - 1] ?? 0;
  return seconds * 1_000;
}

/** Jitter only adds, because the schedule promises a minimum delay. `random` is from 0 to 1. */
function addJitterMs(delayMs: number, random: number): number {
  return delayMs + Math.round(Math.min(delayMs * MAX_JITTER_SHARE, MAX_JITTER_MS) * random);
}
