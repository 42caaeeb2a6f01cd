import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { createBothWays } from "./support/both-ways.ts";
import { ok } from "./support/clients.ts";
import { ISO_8601, UUID } from "./support/patterns.ts";
import { newPerson, onlyRow, openServiceRole, type Person, type Row } from "./support/people.ts";
import { libraryErrorOf, apiErrorOf } from "./support/api-errors.ts";
import { type Service, startService } from "./support/service.ts";
import { UNLIMITED } from "./support/settings.ts";

const WEBHOOK = { name: "Hook", url: "https://example.com/hook", events: ["agent.created", "agent.deleted"] };
const LONG_AGO = "2001-01-01T00:00:00Z";

let service: Service;
let ada: Person;
before(async () => {
  service = await startService(UNLIMITED);
  ada = await newPerson(service);
});
after(() => service?.stop());

test("2.5 a delivery has all documented fields, and is deleted with its webhook", async () => {
  const [webhook] = await createBothWays(ada, "webhooks", { ...WEBHOOK, is_active: false });
  const webhook_id = webhook["id"];
  const payload = {
    id: `evt_${randomUUID()}`,
    type: "agent.created",
    created_at: LONG_AGO,
    api_version: "x",
    data: {},
  };
  const { client } = openServiceRole(service);
  const row = { webhook_id, user_id: ada.id, event_id: randomUUID(), event_type: "agent.created", payload };
  const made = ok(await client.from("webhook_deliveries").insert(row).select().single()) as Row;
  const { event_type, status, status_code, response_body, attempts, next_retry_at, delivered_at } = made;
  assert.deepEqual(
    { event_type, status, status_code, response_body, attempts, next_retry_at, delivered_at },
    {
      event_type: "agent.created",
      status: "pending",
      status_code: null,
      response_body: null,
      attempts: 0,
      next_retry_at: null,
      delivered_at: null,
    },
  );
  assert.deepEqual(made["payload"], payload);
  assert.deepEqual(Object.keys(made["payload"] as Row), Object.keys(payload), "in the order it was written");
  assert.match(String(made["id"]), UUID);
  assert.match(String(made["created_at"]), ISO_8601);
  const seen = onlyRow(await ada.send(`GET /webhook_deliveries?webhook_id=eq.${String(webhook_id)}`));
  assert.equal(seen["id"], made["id"]);

  for (const field of ["event_type", "payload"]) {
    const { [field]: _, ...rest } = row as Row;
    const rejected = libraryErrorOf(
      await client.from("webhook_deliveries").insert({ ...rest, event_id: randomUUID() }),
    );
    assert.equal(rejected.status, 400, field);
  }
  ok(await ada.client.from("webhooks").delete().eq("id", webhook_id));
  assert.deepEqual(ok(await client.from("webhook_deliveries").select("id").eq("webhook_id", webhook_id)), []);
});

test("2.5 deliveries are read-only to users", async () => {
  const [webhook] = await createBothWays(ada, "webhooks", { ...WEBHOOK, is_active: false });
  const row = { webhook_id: webhook["id"], event_type: "agent.created", payload: {}, event_id: randomUUID() };
  const answers = [
    await ada.send("POST /webhook_deliveries", { body: row }),
    await ada.send(`PATCH /webhook_deliveries?webhook_id=eq.${String(webhook["id"])}`, {
      body: { status: "delivered" },
    }),
    await ada.send(`DELETE /webhook_deliveries?webhook_id=eq.${String(webhook["id"])}`),
  ];
  for (const answer of answers) {
    const { status, code } = apiErrorOf(answer);
    assert.deepEqual([status, code], [403, "FORBIDDEN"], answer.text);
  }
});
