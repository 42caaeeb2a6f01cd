/** What an endpoint may ask for at most. */
const MAX_RETRY_AFTER_MS = 7_200_000;

const HTTP_DATE = /^(mon|tue|wed|thu|fri|sat|sun)[a-z]*,? /i;

/** Seconds or a date, from now on and never more than two hours; null when it is absent or says nothing sensible. */
export function parseRetryAfterMs(text: string | null, now: Date): number | null {
  const trimmed = text?.trim() ?? "";
  const waitMs = /^\d+(\.\d+)?$/.test(trimmed) ? Number(trimmed) * 1_000 : parseDateMs(trimmed, now);
  return waitMs === null ? null : Math.min(Math.max(Math.ceil(waitMs), 0), MAX_RETRY_AFTER_MS);
}

/** Node reads almost any text as some date, so a date must begin as those of HTTP do. */
function parseDateMs(text: string, now: Date): number | null {
  const timeMs = HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(timeMs) ? null : timeMs - now.getTime();
}
