import { invalidInput } from "../invalid-input.ts";

/** Returns JSON, so that the model need not guess which part is which. */
export function formatTime(now: Date, timezone: string): string {
  const parts = new Map(
    formatterFor(timezone)
      .formatToParts(now)
      .map(({ type, value }) => [type, value]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes): string => parts.get(type) ?? "";
  return JSON.stringify({
    timezone,
    date: `${part("year")}-${part("month")}-${part("day")}`,
    time: `${part("hour")}:${part("minute")}:${part("second")}`,
    weekday: part("weekday"),
    offset: part("timeZoneName"),
    utc: now.toISOString(),
    unix_seconds: Math.floor(now.getTime() / 1000),
  });
}

function formatterFor(timeZone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat("en-GB", {
      timeZone,
      hourCycle: "h23",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
      weekday: "long",
      timeZoneName: "longOffset",
    });
  } catch {
    throw invalidInput("The time zone does not exist.");
  }
}
