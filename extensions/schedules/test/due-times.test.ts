import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  addJitter,
  findCronFault,
  findLast,
  findNext,
  findTimeZoneFault,
  type Timing,
} from "../src/timing/due-times.ts";

function at(cron: string, timeZone = "UTC"): Timing {
  return { cron, timeZone, runAt: null, jitterSeconds: 0 };
}

/** The next times after one, and the same times again by looking back from the last of them. */
function timesOf(timing: Timing, after: string, count: number): string[] {
  const times: Date[] = [];
  for (
    let next = findNext(timing, new Date(after));
    next !== null && times.length < count;
    next = findNext(timing, next)
  )
    times.push(next);
  for (const [place, time] of times.entries()) {
    assert.deepEqual(findLast(timing, time), time, "the time itself counts");
    const before = times[place - 1];
    if (before !== undefined) assert.deepEqual(findLast(timing, new Date(time.getTime() - 1)), before);
  }
  return times.map((time) => time.toISOString().replace(":00.000Z", "Z"));
}

describe("the times of a cron expression", () => {
  const cases: readonly (readonly [title: string, timing: Timing, after: string, times: readonly string[]])[] = [
    ["every minute", at("* * * * *"), "2026-01-01T00:00:30Z", ["2026-01-01T00:01Z", "2026-01-01T00:02Z"]],
    ["weekdays", at("0 9 * * 1-5", "Europe/Berlin"), "2026-01-02T12:00Z", ["2026-01-05T08:00Z", "2026-01-06T08:00Z"]],
    ["29 February", at("0 0 29 2 *"), "2026-01-01T00:00Z", ["2028-02-29T00:00Z", "2032-02-29T00:00Z"]],
    ["29 February from the day itself", at("0 0 29 2 *"), "2028-02-29T00:00Z", ["2032-02-29T00:00Z"]],
    ["the last day of the month", at("0 0 L * *"), "2028-02-01T00:00Z", ["2028-02-29T00:00Z", "2028-03-31T00:00Z"]],
    [
      "a fixed time in the gap of spring, at its end",
      at("30 2 * * *", "Europe/Berlin"),
      "2026-03-28T00:00Z",
      ["2026-03-28T01:30Z", "2026-03-29T01:00Z", "2026-03-30T00:30Z"],
    ],
    [
      "an interval in the gap of spring, left out",
      at("*/30 2 * * *", "Europe/Berlin"),
      "2026-03-28T00:00Z",
      ["2026-03-28T01:00Z", "2026-03-28T01:30Z", "2026-03-30T00:00Z"],
    ],
    [
      "a fixed time in the hour of autumn that comes twice, once",
      at("30 2 * * *", "Europe/Berlin"),
      "2026-10-24T12:00Z",
      ["2026-10-25T00:30Z", "2026-10-26T01:30Z"],
    ],
    [
      "an interval in the hour of autumn that comes twice, in both",
      at("30 * * * *", "Europe/Berlin"),
      "2026-10-24T23:45Z",
      ["2026-10-25T00:30Z", "2026-10-25T01:30Z", "2026-10-25T02:30Z"],
    ],
    [
      "midnight on the day on which it does not exist",
      at("0 0 * * *", "America/Sao_Paulo"),
      "2018-11-03T12:00Z",
      ["2018-11-04T03:00Z", "2018-11-05T02:00Z"],
    ],
  ];
  for (const [title, timing, after, times] of cases)
    test(title, () => assert.deepEqual(timesOf(timing, after, times.length), times));

  test("a single time is due once", () => {
    const once = { cron: null, timeZone: "UTC", runAt: new Date("2026-01-01T09:00Z"), jitterSeconds: 0 };
    assert.deepEqual(timesOf(once, "2025-01-01T00:00Z", 2), ["2026-01-01T09:00Z"]);
    assert.equal(findNext(once, new Date("2026-01-01T09:00Z")), null);
    assert.equal(findLast(once, new Date("2026-01-01T08:59Z")), null);
  });
});

test("jitter is later than the time by less than its bound, always the same, and before the next time", () => {
  const due = new Date("2026-01-01T00:00Z");
  const timing = { ...at("* * * * *"), jitterSeconds: 3600 };
  const delays = Array.from({ length: 100 }, (_, id) => addJitter(String(id), timing, due).getTime() - due.getTime());
  assert.ok(delays.every((delay) => delay >= 0 && delay < 60_000));
  assert.ok(Math.max(...delays) > 30_000 && Math.min(...delays) < 30_000);
  assert.deepEqual(addJitter("a", timing, due), addJitter("a", timing, due));
  assert.equal(addJitter("a", at("* * * * *"), due), due);
});

describe("bad input", () => {
  const fields = "must have five fields: minute, hour, day of the month, month, day of the week";
  const crons: readonly (readonly [string, string | null])[] = [
    ["0 9 * * 1-5", null],
    ["*/5 8-18 1,15 JAN-JUN MON#1", null],
    ["* * * * * *", fields],
    ["* * * *", fields],
    ["@daily", fields],
    ["@reboot", fields],
    ["2030-01-01T00:00:00", fields],
    ["0 0 ? * *", fields],
    ["0  9 * * *", fields],
    ["", fields],
    ["* * * * *\n", fields],
    ["0,".repeat(100_000), fields],
    ["60 * * * *", "is not a cron expression"],
    ["*/0 * * * *", "is not a cron expression"],
    ["9-5 * * * *", "is not a cron expression"],
    ["0 0 32 * *", "is not a cron expression"],
    ["0 0 * * NEVER", "is not a cron expression"],
    ["0 0 30 2 *", "is never due"],
    ["0 0 31 4,6,9,11 *", "is never due"],
  ];
  for (const [cron, fault] of crons)
    test(`cron ${JSON.stringify(cron.slice(0, 40))}`, () => assert.equal(findCronFault(cron), fault));
  for (const zone of ["Europe/Berlin", "UTC", "Etc/GMT+12", "America/Argentina/Buenos_Aires"])
    test(`time zone ${zone}`, () => assert.equal(findTimeZoneFault(zone), null));
  for (const zone of ["Nowhere/City", "+01:00", "UTC+1", "../etc/passwd", "", "Europe/Berlin\0", "a".repeat(100_000)])
    test(`time zone ${JSON.stringify(zone.slice(0, 40))}`, () =>
      assert.equal(findTimeZoneFault(zone), "must be a time zone such as Europe/Berlin"));
});
