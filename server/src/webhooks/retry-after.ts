const MAX_RETRY_AFTER_MS = 7_200_000;

const HTTP_DATE = /^(mon|tue|wed|thu|fri|sat|sun)[a-z]*,? /i;

/** Reads seconds or an HTTP date as a wait of at most two hours; null when the header is absent or invalid. */
export function parseRetryAfterMs(text: string | null, now: Date): number | null {
  const trimmed = text?.trim() ?? "";
  const waitMs = /^\d+(\.\d+)?$/.test(trimmed) ? Number(trimmed) * 1_000 : parseDateMs(trimmed, now);
  return waitMs === null ? null : Math.min(Math.max(Math.ceil(waitMs), 0), MAX_RETRY_AFTER_MS);
}

/** Date.parse accepts almost any text, so the text must start like an HTTP date. */
function parseDateMs(text: string, now: Date): number | null {
  const timeMs = HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(timeMs) ? null : timeMs - now.getTime();
}
