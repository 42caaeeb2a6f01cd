import assert from "node:assert/strict";
import { test } from "node:test";
import { mergeUpdates } from "../src/data/delivery-updates.ts";
import { containsText } from "../src/data/keyset.ts";
import type { ListedDelivery } from "../src/data/listed-delivery.ts";
import { readId } from "../src/pages/webhooks/page/delivery-filter.ts";

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

test("the id of a delivery, an event or a message is found with and without its prefix", () => {
  const id = "0199f0a2-6a0e-7c3d-9a57-3c5f6a1b2c3d";
  for (const text of [id, `evt_${id}`, ` msg_${id.toUpperCase()} `]) assert.equal(readId(text), id);
  for (const text of ["", "evt_", "hello", `${id}0`]) assert.equal(readId(text), null);
});

test("the search filter escapes special characters", () => {
  assert.equal(containsText(["name"], 'a"%,b)\\'), String.raw`name.ilike."%a\"\\%,b)\\\\%"`);
});
