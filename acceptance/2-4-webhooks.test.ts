import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { assertRejectedField, createBothWays } from "./support/both-ways.ts";
import { ISO_8601, UUID } from "./support/patterns.ts";
import { newPerson, type Person, type Row } from "./support/people.ts";
import { assertValidationBody } from "./support/api-errors.ts";
import { type Service, startService } from "./support/service.ts";
import { UNLIMITED } from "./support/settings.ts";

const WEBHOOK = { name: "Hook", url: "https://example.com/hook", events: ["agent.created", "agent.deleted"] };

let service: Service;
let ada: Person;
before(async () => {
  service = await startService(UNLIMITED);
  ada = await newPerson(service);
});
after(() => service?.stop());

test("2.4 a webhook that is created with only the required fields has all documented fields and defaults", async () => {
  for (const made of await createBothWays(ada, "webhooks", WEBHOOK)) {
    assert.match(String(made["id"]), UUID);
    assert.match(String(made["secret"]), /^whsec_[A-Za-z0-9+/]{43}=$/);
    for (const name of ["created_at", "updated_at"]) assert.match(String(made[name]), ISO_8601);
    const { user_id, name, url, events, is_active, headers, retry_count, timeout_ms } = made;
    assert.deepEqual(
      { user_id, name, url, events, is_active, headers, retry_count, timeout_ms },
      { ...WEBHOOK, user_id: ada.id, is_active: true, headers: {}, retry_count: 3, timeout_ms: 30_000 },
    );
  }
});

test("2.4 creating more than 1,000 webhooks returns an error that names the limit", async () => {
  const person = await newPerson(service);
  const rejected = await person.send("POST /webhooks", { body: Array.from({ length: 1_001 }, () => WEBHOOK) });
  assertValidationBody(rejected, ["user_id"]);
  assert.equal(rejected.body["message"], "A user may have at most 1000 webhooks");
  assert.deepEqual((await person.send("GET /webhooks")).rows, []);
});

test("2.4 a webhook with missing or out-of-bounds fields is a validation error", async () => {
  for (const field of Object.keys(WEBHOOK)) {
    const { [field]: _, ...rest } = WEBHOOK as Row;
    await assertRejectedField(ada, "webhooks", rest, field);
    await assertRejectedField(ada, "webhooks", { ...rest, [field]: null }, field);
  }
  assertValidationBody(await ada.send("POST /webhooks", { body: {} }), ["name", "url", "events"]);
  const rejected: Row[] = [
    { name: "" },
    { name: "n".repeat(101) },
    { events: [] },
    { events: "agent.created" },
    { is_active: "yes" },
    { headers: [] },
    { retry_count: -1 },
    { retry_count: 11 },
    { retry_count: 1.5 },
    { timeout_ms: 0 },
    { timeout_ms: 120_001 },
  ];
  for (const row of rejected)
    await assertRejectedField(ada, "webhooks", { ...WEBHOOK, ...row }, Object.keys(row)[0] ?? "");
  const fine = { is_active: false, headers: { "X-Team": "blue" }, retry_count: 10, timeout_ms: 120_000 };
  for (const made of await createBothWays(ada, "webhooks", { ...WEBHOOK, ...fine })) {
    assert.deepEqual(Object.fromEntries(Object.keys(fine).map((name) => [name, made[name]])), fine);
  }
});
