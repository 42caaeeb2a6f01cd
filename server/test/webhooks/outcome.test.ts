import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { RETRY_SCHEDULE_SECONDS } from "@swarmbase/sdk";
import fc from "fast-check";
import { type AttemptResult, decideOutcome, type Outcome } from "../../src/webhooks/outcome.ts";

const NOW = new Date("2026-11-15T12:00:00Z");
const MINUTE_MS = 60_000;
const TWO_HOURS_MS = 7_200_000;

const answered = (status: number, retryAfter: string | null = null): AttemptResult => ({
  kind: "answered",
  status,
  retryAfter,
  body: "",
  isTruncated: false,
  durationMs: 1,
});
type Fault = Extract<AttemptResult, { kind: "failed" }>["code"];
const failed = (code: Fault): AttemptResult => ({ kind: "failed", code, message: code, durationMs: 1 });

interface Case {
  readonly attempt?: number;
  readonly maxRetries?: number;
  readonly random?: number;
  readonly schedule?: readonly number[];
}

const decide = (result: AttemptResult, { attempt = 1, maxRetries = 3, random = 0, schedule }: Case = {}): Outcome =>
  decideOutcome({ result, attempt, maxRetries, random, now: NOW, schedule: schedule ?? RETRY_SCHEDULE_SECONDS });

describe("the outcome of an attempt", () => {
  for (const status of [200, 201, 202, 204, 206, 226, 299])
    test(`status ${status} means delivered`, () => assert.equal(decide(answered(status)).status, "delivered"));
  for (const status of [500, 501, 502, 503, 504, 599, 429])
    test(`status ${status} is retried`, () => assert.equal(decide(answered(status)).status, "retrying"));
  for (const status of [300, 301, 302, 303, 304, 307, 308, 400, 401, 403, 404, 405, 408, 409, 410, 413, 422, 425, 451])
    test(`status ${status} means failed`, () => {
      const outcome = decide(answered(status));
      assert.equal(outcome.status, "failed");
      assert.equal(outcome.retryDelayMs, null);
      assert.equal(outcome.shouldDisable, status === 410);
    });
  for (const code of ["dns", "connect_refused", "connect_timeout", "timeout", "tls", "reset", "protocol"] as const)
    test(`fault ${code} is retried`, () => assert.equal(decide(failed(code)).status, "retrying"));
  for (const code of ["blocked_address", "invalid_url", "invalid_header"] as const)
    test(`fault ${code} means failed`, () => assert.equal(decide(failed(code)).status, "failed"));
});

describe("the time of the next attempt", () => {
  const DELAYS_MS = [MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, TWO_HOURS_MS];
  for (let maxRetries = 0; maxRetries <= 10; maxRetries += 1) {
    test(`retry_count ${maxRetries} allows ${maxRetries + 1} attempts`, () => {
      for (let attempt = 1; attempt <= maxRetries; attempt += 1) {
        const outcome = decide(answered(500), { attempt, maxRetries });
        assert.equal(outcome.status, "retrying");
        assert.equal(outcome.retryDelayMs, DELAYS_MS[attempt - 1] ?? TWO_HOURS_MS, `after attempt ${attempt}`);
      }
      const last = decide(answered(500), { attempt: maxRetries + 1, maxRetries });
      assert.deepEqual(last, { status: "failed", retryDelayMs: null, pauseMs: null, shouldDisable: false });
    });
  }

  test("jitter adds up to a tenth, at most five seconds, and never subtracts", () => {
    const almostOne = 0.999999;
    assert.equal(decide(answered(500), { random: almostOne, schedule: [0, 10] }).retryDelayMs, 11_000);
    assert.equal(decide(answered(500), { random: almostOne }).retryDelayMs, 65_000);
    assert.equal(decide(answered(500), { random: almostOne, attempt: 3 }).retryDelayMs, 1_805_000);
    assert.equal(decide(answered(500), { random: 0.5, schedule: [0, 10] }).retryDelayMs, 10_500);
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        fc.integer({ min: 1, max: 10 }),
        fc.array(fc.nat(100_000), { minLength: 1, maxLength: 8 }),
        (random, attempt, schedule) => {
          const plain = decide(answered(500), { attempt, maxRetries: 10, schedule }).retryDelayMs ?? -1;
          const jittered = decide(answered(500), { attempt, maxRetries: 10, schedule, random }).retryDelayMs ?? -1;
          assert.ok(jittered >= plain && jittered <= plain + Math.min(plain * 0.1, 5_000) + 1);
        },
      ),
    );
  });

  test("a schedule of one entry repeats that entry", () =>
    assert.equal(decide(answered(500), { attempt: 3, schedule: [7] }).retryDelayMs, 7_000));
});

describe("Retry-After", () => {
  const cases: readonly { name: string; status: number; header: string | null; delay: number; pause: number | null }[] =
    [
      { name: "seconds beyond the schedule", status: 429, header: "600", delay: 600_000, pause: 600_000 },
      { name: "seconds within the schedule", status: 429, header: "5", delay: MINUTE_MS, pause: 5_000 },
      { name: "fractions", status: 429, header: "90.5", delay: 90_500, pause: 90_500 },
      { name: "zero", status: 429, header: "0", delay: MINUTE_MS, pause: 0 },
      { name: "a date", status: 429, header: "Sun, 15 Nov 2026 12:10:00 GMT", delay: 600_000, pause: 600_000 },
      {
        name: "a date that has passed",
        status: 429,
        header: "Sun, 15 Nov 2026 11:00:00 GMT",
        delay: MINUTE_MS,
        pause: 0,
      },
      { name: "more than two hours", status: 429, header: "86400", delay: TWO_HOURS_MS, pause: TWO_HOURS_MS },
      {
        name: "a date next year",
        status: 503,
        header: "Mon, 15 Nov 2027 12:00:00 GMT",
        delay: TWO_HOURS_MS,
        pause: TWO_HOURS_MS,
      },
      { name: "nonsense", status: 429, header: "soon", delay: MINUTE_MS, pause: MINUTE_MS },
      { name: "a negative number", status: 429, header: "-5", delay: MINUTE_MS, pause: MINUTE_MS },
      { name: "a number with a unit", status: 429, header: "10s", delay: MINUTE_MS, pause: MINUTE_MS },
      { name: "nothing", status: 429, header: null, delay: MINUTE_MS, pause: MINUTE_MS },
      { name: "503 with it", status: 503, header: "120", delay: 120_000, pause: 120_000 },
      { name: "503 without it", status: 503, header: null, delay: MINUTE_MS, pause: null },
      { name: "500 with it", status: 500, header: "120", delay: MINUTE_MS, pause: null },
    ];
  for (const { name, status, header, delay, pause } of cases) {
    test(`Retry-After with status ${status}: ${name}`, () => {
      const outcome = decide(answered(status, header));
      assert.equal(outcome.status, "retrying");
      assert.equal(outcome.retryDelayMs, delay);
      assert.equal(outcome.pauseMs, pause);
    });
  }

  test("Retry-After pauses the endpoint even when the delivery has no retries left", () => {
    const outcome = decide(answered(429, "30"), { attempt: 4 });
    assert.equal(outcome.status, "failed");
    assert.equal(outcome.pauseMs, 30_000);
  });

  test("Retry-After is ignored on a success", () => assert.equal(decide(answered(200, "30")).pauseMs, null));
});
