export const RANGES = ["7", "30", "90"] as const;
export type Range = (typeof RANGES)[number];

const DAY_MS = 86_400_000;

/** The days of a range in UTC, the last of which is today. Budgets also use UTC. */
export function listDays(range: Range, now: number): readonly string[] {
  const count = Number(range);
  return Array.from({ length: count }, (_, index) => dayOf(now - (count - 1 - index) * DAY_MS));
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** The time of a day in the chart: midnight in the time zone of the browser, so that the axis shows the same date. */
export function secondsOf(day: string): number {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  return new Date(year, month - 1, date).getTime() / 1_000;
}

const words = new Intl.DateTimeFormat(undefined, { weekday: "short", day: "numeric", month: "short" });

export function formatDay(seconds: number): string {
  return words.format(seconds * 1_000);
}
