import assert from "node:assert/strict";
import { test } from "node:test";
import { mergeUpdates } from "../src/data/delivery-updates.ts";
import { containsText } from "../src/data/keyset.ts";
import type { ListedDelivery } from "../src/data/listed-delivery.ts";
import { buildAttemptPoints } from "../src/pages/webhooks/page/attempt-points.ts";

function listed(id: string, created_at: string, status: ListedDelivery["status"] = "delivered"): ListedDelivery {
  return {
    id,
    webhook_id: "w",
    event_id: "e",
    event_type: "agent.created",
    status,
    status_code: null,
    attempts: 1,
    next_retry_at: null,
    scheduled_for: null,
    delivered_at: null,
    created_at,
  };
}

test("the delivery list prepends new rows, replaces changed ones, and starts again after a gap", () => {
  const shown = { pages: [[listed("b", "2026-01-02"), listed("a", "2026-01-01", "retrying")]], pageParams: [null] };
  assert.equal(mergeUpdates(shown, [listed("b", "2026-01-02")], 50), shown);
  const merged = mergeUpdates(shown, [listed("c", "2026-01-03"), listed("a", "2026-01-01", "failed")], 50);
  assert.deepEqual(
    merged.pages.flat().map(({ id, status }) => [id, status]),
    [
      ["c", "delivered"],
      ["b", "delivered"],
      ["a", "failed"],
    ],
  );
  const many = ["e", "d"].map((id, at) => listed(id, `2026-01-0${9 - at}`));
  assert.deepEqual(mergeUpdates(shown, many, 2), { pages: [many], pageParams: [null] });
});

test("webhook attempts are grouped into time buckets, and empty buckets are null", () => {
  const attempt = (at: string, isDelivered: boolean, averageMs: number | null) => ({
    at,
    isDelivered,
    count: 1,
    averageMs,
    slowestMs: averageMs,
  });
  const points = buildAttemptPoints(
    [
      attempt("2026-01-01T10:05:00Z", true, 100),
      attempt("2026-01-01T10:55:00Z", false, 300),
      attempt("2026-01-01T08:00:00Z", false, null),
      attempt("2025-01-01T00:00:00Z", true, 9),
    ],
    { lengthMs: 3_600_000, count: 3, now: Date.parse("2026-01-01T10:59:00Z") },
  );
  assert.deepEqual(points.delivered, [0, null, 0.5]);
  assert.deepEqual(points.failed, [1, null, 0.5]);
  assert.deepEqual(points.averageMs, [null, null, 200]);
  assert.deepEqual(points.slowestMs, [null, null, 300]);
  assert.equal(points.times[2], Date.parse("2026-01-01T10:00:00Z") / 1_000);
});

test("the search filter escapes special characters", () => {
  assert.equal(containsText(["name"], 'a"%,b)\\'), String.raw`name.ilike."%a\"\\%,b)\\\\%"`);
});
