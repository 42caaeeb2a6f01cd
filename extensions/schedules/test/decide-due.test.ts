import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { decideDue, type Decision, type DueSchedule } from "../src/timing/decide-due.ts";

/** Due at each full hour; its next time is nine o'clock. */
const HOURLY: DueSchedule = {
  id: "a",
  cron: "0 * * * *",
  timeZone: "UTC",
  runAt: null,
  jitterSeconds: 0,
  dueAt: time("09:00"),
  whenRunning: "skip",
  whenMissed: "last",
  waiting: null,
  hasOpenRun: false,
};
const ONCE: DueSchedule = { ...HOURLY, cron: null, runAt: time("09:00") };

function time(text: string): Date {
  return new Date(`2026-01-01T${text}Z`);
}

function render(decision: Decision): string {
  const show = (date: Date | null): string => date?.toISOString().slice(11, 16) ?? "never";
  const due = show(decision.dueAt);
  switch (decision.action) {
    case "start":
      return `start ${due}, next ${show(decision.next)}${decision.missed === null ? "" : `, missed ${show(decision.missed)}`}`;
    case "wait":
      return `wait with ${due}`;
    case "pass":
      return `${decision.outcome} ${due}, next ${show(decision.next)}`;
  }
}

describe("what comes of a schedule that is due", () => {
  const cases: readonly (readonly [title: string, Partial<DueSchedule>, now: string, expected: string])[] = [
    ["at its time", {}, "09:00", "start 09:00, next 10:00"],
    ["a little late", {}, "09:04", "start 09:00, next 10:00"],
    ["late, and started all the same", {}, "09:59", "start 09:00, next 10:00"],
    ["late, and skipped", { whenMissed: "skip" }, "09:06", "missed 09:00, next 10:00"],
    ["several missed: the last is started", {}, "14:30", "start 14:00, next 15:00, missed 09:00"],
    ["several missed: the last is in time", { whenMissed: "skip" }, "14:01", "start 14:00, next 15:00, missed 09:00"],
    ["several missed, and skipped", { whenMissed: "skip" }, "14:30", "missed 14:00, next 15:00"],
    ["a run in progress: skipped", { hasOpenRun: true }, "09:00", "skipped 09:00, next 10:00"],
    ["a run in progress: queued", { hasOpenRun: true, whenRunning: "queue" }, "09:00", "wait with 09:00"],
    [
      "after the run: started, however late",
      { waiting: "run", whenRunning: "queue" },
      "09:59",
      "start 09:00, next 10:00",
    ],
    ["after a limit: later times were skipped", { waiting: "limit" }, "12:30", "start 09:00, next 13:00"],
    [
      "after a limit: later times are queued",
      { waiting: "limit", whenRunning: "queue" },
      "12:30",
      "start 09:00, next 10:00",
    ],
    [
      "after a limit that lasted long, skipped times do not count as missed",
      { waiting: "limit", whenMissed: "skip" },
      "23:59",
      "start 09:00, next 00:00",
    ],
    [
      "late because the service was busy, which is not missed",
      { waiting: "service", whenMissed: "skip" },
      "09:59",
      "start 09:00, next 10:00",
    ],
    [
      "a limit is over while a run is in progress",
      { waiting: "limit", hasOpenRun: true },
      "09:30",
      "skipped 09:00, next 10:00",
    ],
    [
      "a limit is over while a run is in progress: queued",
      { waiting: "limit", hasOpenRun: true, whenRunning: "queue" },
      "09:30",
      "wait with 09:00",
    ],
    ["once", ONCE, "09:01", "start 09:00, next never"],
    ["once, too late", { ...ONCE, whenMissed: "skip" }, "10:00", "missed 09:00, next never"],
    ["once, after a limit", { ...ONCE, waiting: "limit", whenRunning: "queue" }, "10:00", "start 09:00, next never"],
  ];
  for (const [title, changes, now, expected] of cases)
    test(title, () => assert.equal(render(decideDue({ ...HOURLY, ...changes }, time(now))), expected));

  test("no more than ten times wait in the queue", () => {
    const minutely: DueSchedule = { ...HOURLY, cron: "* * * * *", waiting: "run", whenRunning: "queue" };
    assert.equal(render(decideDue(minutely, time("09:05"))), "start 09:00, next 09:01");
    assert.equal(render(decideDue(minutely, time("12:00"))), "start 09:00, next 11:51");
  });

  test("no time before that which is due is started, also where looking back finds only earlier ones", () => {
    const [dueAt, now] = [new Date("2030-12-30T00:00Z"), new Date("2031-01-01T08:51Z")];
    const weekday: DueSchedule = { ...HOURLY, cron: "0 * 3,30W * *", timeZone: "Antarctica/Troll", dueAt };
    for (const whenMissed of ["last", "skip"] as const) {
      const decision = decideDue({ ...weekday, whenMissed }, now);
      assert.ok(decision.dueAt >= dueAt, decision.dueAt.toISOString());
      assert.ok(decision.action !== "wait" && decision.next !== null && decision.next > decision.dueAt);
    }
  });

  test("a time whose jitter has not passed is not started yet, and the one before it is", () => {
    const jittered: DueSchedule = { ...HOURLY, jitterSeconds: 3600 };
    assert.equal(render(decideDue(jittered, time("11:00"))), "start 10:00, next 11:00, missed 09:00");
  });
});
