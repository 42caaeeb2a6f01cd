import { authError } from "../auth-error.ts";

const UNIT_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};
const DURATION =
  /^\+?(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h)(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))*$/;
const PART = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g;
const MAX_LENGTH = 100;
/** As far as the durations that clients write can reach: 2^63 nanoseconds. */
const MAX_MS = 2 ** 63 / 1e6;

/** When a ban ends that begins now; null lifts it. Texts are "none", or like "24h" and "1h30m". */
export function parseBanDuration(text: string, now: Date): Date | null {
  if (text === "none" || text === "0") return null;
  if (text.length > MAX_LENGTH || !DURATION.test(text)) throw refuse(text);
  let durationMs = 0;
  for (const [, amount = "", unit = ""] of text.matchAll(PART)) durationMs += Number(amount) * (UNIT_MS[unit] ?? 0);
  if (!(durationMs <= MAX_MS)) throw refuse(text);
  return durationMs === 0 ? null : new Date(now.getTime() + durationMs);
}

function refuse(text: string): Error {
  const shown = JSON.stringify(text.slice(0, MAX_LENGTH));
  return authError("validation_failed", `invalid format for ban duration: ${shown} is not like "24h" or "none"`);
}
