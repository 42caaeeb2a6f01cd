import assert from "node:assert/strict";
import { eventually } from "./eventually.ts";
import type { Narrator } from "./narrator.ts";
import type { Office } from "./office.ts";
import { type Person, type CreatedRow, dataOf } from "./people.ts";

const SHORT = 13;

/** Five tool calls. What was said in private conversations is no event of the shop. */
const EVENTS = { "tool.executed": 5, "message.created": 0 } as const;

export async function showDeliveries(shop: Person, office: Office, narrator: Narrator): Promise<void> {
  narrator.step("Receive and verify webhooks", "verifyWebhook(body, headers, secret) of @swarmbase/sdk");
  const total = Object.values<number>(EVENTS).reduce((sum, count) => sum + count, 0);
  const received = await eventually(
    // One that was in progress when the service was killed can arrive twice.
    () => [...new Map(accepted(office).map((arrival) => [arrival.deliveryId, arrival])).values()],
    ({ length }) => length >= total,
    "the deliveries",
  );
  for (const [type, count] of Object.entries(EVENTS)) {
    const found = received.filter((arrival) => arrival.type === type);
    narrator.line(`${type.padEnd(16)} ${found.length} received${count === 0 ? "" : ", signatures valid"}`);
    assert.equal(found.length, count, type);
  }
  const { data } = JSON.parse(received[0]?.body ?? "{}") as { readonly data: CreatedRow };
  narrator.line(`the first: ${String(data["tool_name"])}, input ${String(data["input"])}`);
  assert.equal(data["input"], null);

  narrator.step("The first delivery got a 503 and was retried", 'from("webhook_delivery_attempts")');
  const rejected = office.arrivals.find(({ status }) => status === 503);
  assert.ok(rejected !== undefined, "one delivery was to be rejected");
  const attempts = await eventually(
    async () =>
      dataOf<readonly CreatedRow[]>(
        await shop.client
          .from("webhook_delivery_attempts")
          .select("id,attempt,status_code,created_at")
          .eq("delivery_id", rejected.deliveryId)
          .order("attempt"),
      ),
    ({ length }) => length >= 2,
    "the record of the retry",
  );
  for (const { attempt, status_code, created_at } of attempts)
    narrator.line(`attempt ${String(attempt)}  ${String(status_code)}  ${String(created_at)}`);
  const again = received.find(({ deliveryId }) => deliveryId === rejected.deliveryId);
  assert.equal(again?.body, rejected.body, "a retry was to bring the same bytes");
  narrator.line(`the same delivery ${rejected.deliveryId.slice(0, SHORT)}…, the same bytes, a new signature`);
}

function accepted({ arrivals }: Office): Office["arrivals"] {
  return arrivals.filter(({ status }) => status === 204);
}

export async function showForgery(office: Office, narrator: Narrator): Promise<void> {
  narrator.step("A forged request to the same URL", "verifyWebhook rejects it");
  const timestamp = String(Math.floor(Date.now() / 1000));
  const forged = { "x-service-timestamp": timestamp, "x-service-signature": `sha256=${"0".repeat(64)}` };
  const body = JSON.stringify({ id: "evt_1", type: "message.created", data: { content: "pay me" } });
  const answer = await fetch(office.hookUrl, { method: "POST", headers: forged, body });
  narrator.line(`${answer.status} ${await answer.text()}`);
  assert.equal(answer.status, 400);
}
