import { createHash } from "node:crypto";
import { Cron } from "croner";

/** When a schedule is due: by a cron expression, or once. */
export interface Timing {
  readonly cron: string | null;
  readonly timeZone: string;
  readonly runAt: Date | null;
  readonly jitterSeconds: number;
}

/** Minutes, hours, days, months and days of the week, as croner writes them: no nicknames, no seconds, no dates. */
const FIELDS = /^[0-9A-Za-z*,/#-]+(?: [0-9A-Za-z*,/#-]+){4}$/;
const MAX_PARSED = 500;
const MAX_YEAR_MS = Date.UTC(9000, 0, 1);
const parsed = new Map<string, Cron>();

/** Null when the expression can be stored. */
export function findCronFault(cron: string): string | null {
  if (!FIELDS.test(cron)) return "must have five fields: minute, hour, day of the month, month, day of the week";
  try {
    return parse(cron, "UTC").nextRun() === null ? "is never due" : null;
  } catch {
    return "is not a cron expression";
  }
}

/** Null when the service knows the zone. */
export function findTimeZoneFault(timeZone: string): string | null {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]*$/.test(timeZone)) return NO_ZONE;
  try {
    new Intl.DateTimeFormat("en", { timeZone });
    return null;
  } catch {
    return NO_ZONE;
  }
}

/** Null when the time can be stored, as far as the forms go that PostgreSQL accepts. */
export function findTimeFault(time: string): string | null {
  return /infinity/i.test(time) || Date.parse(time) >= MAX_YEAR_MS ? "must be a time before the year 9000" : null;
}

const NO_ZONE = "must be a time zone such as Europe/Berlin";

/**
 * The first time after another one; null when there is none. Where clocks go forward, a fixed time within the gap is due at its end,
 * and an interval such as every ten minutes leaves the gap out. Where they go back, a fixed time is due once, an interval in both hours.
 */
export function findNext({ cron, timeZone, runAt }: Timing, after: Date): Date | null {
  if (cron !== null) return parse(cron, timeZone).nextRun(after);
  return runAt !== null && runAt > after ? runAt : null;
}

/** The last time until another one, which counts; null when there is none. */
export function findLast({ cron, timeZone, runAt }: Timing, until: Date): Date | null {
  if (cron === null) return runAt !== null && runAt <= until ? runAt : null;
  return findLastTimes({ cron, timeZone }, until, 1)[0] ?? null;
}

/** At most so many times until another one, the latest first. */
export function findLastTimes(
  { cron, timeZone }: { readonly cron: string; readonly timeZone: string },
  until: Date,
  count: number,
): readonly Date[] {
  // croner leaves out the second of the reference itself.
  return parse(cron, timeZone).previousRuns(count, new Date(until.getTime() + 1_000));
}

/** When the run of a time starts: never before it, always the same, and before the next one. */
export function addJitter(id: string, timing: Timing, due: Date): Date {
  const { jitterSeconds } = timing;
  if (jitterSeconds === 0) return due;
  const next = findNext(timing, due);
  const room = Math.min(
    jitterSeconds * 1_000,
    next === null ? Number.POSITIVE_INFINITY : next.getTime() - due.getTime(),
  );
  const hash = createHash("sha256").update(`${id} ${due.toISOString()}`).digest().readUInt32BE();
  return new Date(due.getTime() + (hash % room));
}

function parse(cron: string, timeZone: string): Cron {
  const key = `${timeZone} ${cron}`;
  const known = parsed.get(key);
  if (known !== undefined) return known;
  const added = new Cron(cron, { timezone: timeZone, mode: "5-part", paused: true });
  if (parsed.size >= MAX_PARSED) parsed.clear();
  parsed.set(key, added);
  return added;
}
