import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { ok } from "./support/clients.ts";
import {
  newPerson,
  onlyRow,
  openServiceRole,
  type Person,
  REPRESENTATION,
  type Row,
  SINGLE,
} from "./support/people.ts";
import { assertFields, assertValidationBody, libraryErrorOf, apiErrorOf } from "./support/api-errors.ts";
import { type Service, startService } from "./support/service.ts";
import { UNLIMITED } from "./support/settings.ts";

/** A disabled webhook gets no deliveries, so the rows do not change during the test. */
const WEBHOOK = { name: "Hook", url: "https://example.com/hook", events: ["agent.created"], is_active: false };
const EVENTS =
  `message.created message.updated message.deleted message.flagged swarm.created swarm.updated swarm.deleted
  swarm.completed swarm.agent_added swarm.agent_removed agent.created agent.updated agent.deleted agent.error
  agent.status_changed tool.executed tool.error user.joined user.removed user.role_changed`.split(/\s+/);

let service: Service;
let ada: Person;
let bob: Person;
before(async () => {
  service = await startService(UNLIMITED);
  ada = await newPerson(service);
  bob = await newPerson(service);
});
after(() => service?.stop());

async function addWebhook({ client }: Person, row: Row = {}): Promise<Row> {
  return ok(
    await client
      .from("webhooks")
      .insert({ ...WEBHOOK, ...row })
      .select()
      .single(),
  ) as Row;
}

/** Inserts a delivery as the service would record it; users cannot. */
async function addDelivery({ id: webhook_id, user_id }: Row, row: Row = {}): Promise<Row> {
  const { client } = openServiceRole(service);
  const delivery = { webhook_id, user_id, event_id: randomUUID(), event_type: "agent.created", payload: {} };
  return ok(
    await client
      .from("webhook_deliveries")
      .insert({ ...delivery, ...row })
      .select()
      .single(),
  ) as Row;
}

async function assertRejected(
  row: Row,
  expected: readonly [status: number, code: string],
  field: string,
): Promise<void> {
  const created = await ada.send("POST /webhooks", { body: { ...WEBHOOK, ...row } });
  const { id } = await addWebhook(ada);
  const updated = await ada.client.from("webhooks").update(row).eq("id", id);
  for (const { status, code, details } of [apiErrorOf(created), libraryErrorOf(updated)]) {
    assert.deepEqual([status, code], expected, JSON.stringify(row));
    assertFields(details, [field]);
  }
}

test("4.3 create: returns the webhook with a generated secret", async () => {
  const byHand = await ada.send("POST /webhooks", { body: WEBHOOK, headers: REPRESENTATION });
  assert.equal(byHand.status, 201);
  const secrets = [onlyRow(byHand)["secret"], (await addWebhook(ada))["secret"]];
  for (const secret of secrets) {
    assert.match(String(secret), /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.equal(Buffer.from(String(secret).slice("whsec_".length), "base64").length, 32);
  }
  assert.notEqual(secrets[0], secrets[1]);
});

test("4.3 create: a secret in the body is rejected with a hint to regenerate_secret", async () => {
  const answer = await ada.send("POST /webhooks", { body: { ...WEBHOOK, secret: "whsec_mine" } });
  assertValidationBody(answer, ["secret"]);
  assert.match(JSON.stringify(answer.body["details"]), /regenerate_secret/);
});

test("4.3 list: returns an array of webhooks with their secrets, and with deliveries on request", async () => {
  const person = await newPerson(service);
  const first = await addWebhook(person, { name: "First" });
  const second = await addWebhook(person, { name: "Second" });
  await addWebhook(bob);
  const delivery = await addDelivery(first, { status: "failed" });
  const listed = await person.send("GET /webhooks?order=created_at");
  assert.deepEqual(
    listed.rows.map(({ id, secret }) => [id, secret]),
    [first, second].map(({ id, secret }) => [id, secret]),
  );
  const select = "name,secret,webhook_deliveries(id,status,created_at)";
  const embedded = (await person.send(`GET /webhooks?order=created_at&select=${select}`)).rows;
  const { id, created_at } = delivery;
  assert.deepEqual(
    embedded.map(({ webhook_deliveries: deliveries }) => deliveries),
    [[{ id, status: "failed", created_at }], []],
  );
  assert.deepEqual(ok(await person.client.from("webhooks").select(select).order("created_at")), embedded);
});

test("4.3 get: returns the webhook record", async () => {
  const webhook = await addWebhook(ada);
  const byHand = await ada.send(`GET /webhooks?id=eq.${String(webhook["id"])}`, { headers: SINGLE });
  assert.deepEqual(onlyRow(byHand), webhook);
  assert.deepEqual(ok(await ada.client.from("webhooks").select().eq("id", webhook["id"]).single()), webhook);
});

test("4.3 update: changes only the fields that are sent, and accepts a whole row", async () => {
  const webhook = await addWebhook(ada);
  const filter = `id=eq.${String(webhook["id"])}`;
  const change = {
    name: "Renamed",
    events: ["tool.error"],
    headers: { "X-Team": "blue" },
    retry_count: 0,
    timeout_ms: 1,
  };
  const byHand = onlyRow(await ada.send(`PATCH /webhooks?${filter}`, { body: change, headers: REPRESENTATION }));
  assert.deepEqual({ ...webhook, ...change, updated_at: byHand["updated_at"] }, byHand);
  const back = { ...byHand, name: "Sent back" };
  const library = ok(await ada.client.from("webhooks").update(back).eq("id", webhook["id"]).select().single()) as Row;
  assert.deepEqual([library["name"], library["secret"]], ["Sent back", webhook["secret"]]);
  const other = await ada.send(`PATCH /webhooks?${filter}`, { body: { secret: "whsec_mine" } });
  assertValidationBody(other, ["secret"]);
  assert.match(JSON.stringify(other.body["details"]), /regenerate_secret/);
});

test("4.3 update: an object without fields changes nothing and returns the record", async () => {
  const webhook = await addWebhook(ada);
  const line = `PATCH /webhooks?id=eq.${String(webhook["id"])}`;
  const minimal = await ada.send(line, { body: {} });
  assert.deepEqual([minimal.status, minimal.text], [204, ""]);
  const shown = await ada.send(line, { body: {}, headers: REPRESENTATION });
  assert.deepEqual([shown.status, shown.rows], [200, [webhook]], "updated_at included");
  const missing = await ada.send(`PATCH /webhooks?id=eq.${randomUUID()}`, { body: {} });
  assert.deepEqual([missing.status, missing.body["code"]], [404, "WEBHOOK_NOT_FOUND"]);
  const foreign = await bob.send(line, { body: {} });
  assert.deepEqual([foreign.status, foreign.body["code"]], [403, "FORBIDDEN"]);
});

test("4.3 delete: deletes the webhook and its deliveries", async () => {
  const webhook = await addWebhook(ada);
  await addDelivery(webhook, { status: "failed" });
  const byHand = await ada.send(`DELETE /webhooks?id=eq.${String(webhook["id"])}`);
  assert.deepEqual([byHand.status, byHand.text], [204, ""]);
  assert.deepEqual((await ada.send(`GET /webhook_deliveries?webhook_id=eq.${String(webhook["id"])}`)).rows, []);
  const other = await addWebhook(ada);
  assert.equal((await ada.client.from("webhooks").delete().eq("id", other["id"])).status, 204);
  assert.deepEqual((await ada.send(`GET /webhooks?id=eq.${String(other["id"])}`)).rows, []);
});

test("4.3 a url that is not valid HTTPS is INVALID_URL", async () => {
  const urls = [
    "",
    "http://example.com/",
    "example.com",
    "https://",
    "ftp://example.com",
    "https://a b",
    "//example.com",
  ];
  for (const url of [...urls, "javascript:alert(1)", "https://user:password@example.com/"]) {
    await assertRejected({ url }, [400, "INVALID_URL"], "url");
  }
  assertValidationBody(await ada.send("POST /webhooks", { body: { ...WEBHOOK, url: 7 } }), ["url"]);
});

test("4.3 unknown event types are INVALID_EVENTS", async () => {
  for (const events of [["agent.exploded"], ["*"], ["agent.created", "Agent.Created"], [""]]) {
    await assertRejected({ events }, [400, "INVALID_EVENTS"], "events");
  }
  await assertRejected({ events: [] }, [400, "VALIDATION_ERROR"], "events");
  await assertRejected({ events: [1] }, [400, "VALIDATION_ERROR"], "events");
  assert.deepEqual((await addWebhook(ada, { events: EVENTS }))["events"], EVENTS);
});

test("4.3 a validation error takes precedence over INVALID_URL and INVALID_EVENTS", async () => {
  const body = { ...WEBHOOK, name: "", url: "http://example.com", events: ["*"] };
  assertValidationBody(await ada.send("POST /webhooks", { body }), ["name", "url", "events"]);
});

test("4.3 a webhook that does not exist is WEBHOOK_NOT_FOUND", async () => {
  const id = randomUUID();
  const answers = [
    await ada.send(`GET /webhooks?id=eq.${id}`, { headers: SINGLE }),
    await ada.send(`PATCH /webhooks?id=eq.${id}`, { body: { name: "x" } }),
    await ada.send(`DELETE /webhooks?id=eq.${id}`),
  ];
  for (const answer of answers) assert.deepEqual([answer.status, answer.body["code"]], [404, "WEBHOOK_NOT_FOUND"]);
  const rejected = libraryErrorOf(await ada.client.from("webhooks").select().eq("id", id).single());
  assert.deepEqual([rejected.status, rejected.code], [404, "WEBHOOK_NOT_FOUND"]);
});

test("4.3 only the owner can access webhooks and deliveries, in all operations", async () => {
  const webhook = await addWebhook(bob);
  const delivery = await addDelivery(webhook, { status: "failed" });
  const filter = `id=eq.${String(webhook["id"])}`;
  assert.deepEqual((await ada.send(`GET /webhooks?${filter}`)).rows, []);
  assert.deepEqual((await ada.send(`GET /webhook_deliveries?id=eq.${String(delivery["id"])}`)).rows, []);
  const answers = [
    await ada.send(`GET /webhooks?${filter}`, { headers: SINGLE }),
    await ada.send(`PATCH /webhooks?${filter}`, { body: { url: "https://mallory.example/" } }),
    await ada.send(`DELETE /webhooks?${filter}`),
    await ada.send("POST /webhooks", { body: { ...WEBHOOK, user_id: bob.id } }),
  ];
  for (const answer of answers) assert.deepEqual([answer.status, answer.body["code"]], [403, "FORBIDDEN"], answer.text);
  const stolen = libraryErrorOf(await ada.client.from("webhooks").upsert({ ...WEBHOOK, id: webhook["id"] }));
  assert.equal(stolen.status, 403, stolen.code);
  assert.deepEqual(onlyRow(await bob.send(`GET /webhooks?${filter}`)), webhook);
  assert.equal((await bob.send(`GET /webhook_deliveries?id=eq.${String(delivery["id"])}`)).rows.length, 1);
});

test("4.3 list deliveries: by webhook, newest first, up to a limit", async () => {
  const webhook = await addWebhook(ada);
  const made = [];
  for (const status_code of [500, 502, 503]) made.push(await addDelivery(webhook, { status: "failed", status_code }));
  await addDelivery(await addWebhook(ada), { status: "failed" });
  const filter = `webhook_id=eq.${String(webhook["id"])}`;
  const byHand = await ada.send(`GET /webhook_deliveries?${filter}&order=created_at.desc&limit=2`);
  assert.deepEqual(
    byHand.rows.map(({ id }) => id),
    made
      .toReversed()
      .slice(0, 2)
      .map(({ id }) => id),
  );
  const library = ada.client
    .from("webhook_deliveries")
    .select()
    .eq("webhook_id", webhook["id"])
    .order("created_at", { ascending: false })
    .limit(2);
  assert.deepEqual(ok(await library), byHand.rows);
});

test("4.3 deliveries are read-only: 403 for every change, through the library too", async () => {
  const delivery = await addDelivery(await addWebhook(ada), { status: "failed" });
  const { client } = ada;
  const { id, ...rest } = delivery;
  const answers = [
    await client.from("webhook_deliveries").insert(rest),
    await client.from("webhook_deliveries").update({ status: "delivered" }).eq("id", id),
    await client.from("webhook_deliveries").delete().eq("id", id),
  ];
  for (const answer of answers) {
    const { status, code } = libraryErrorOf(answer);
    assert.deepEqual([status, code], [403, "FORBIDDEN"]);
  }
  assert.deepEqual(ok(await client.from("webhook_deliveries").select().eq("id", id).single()), delivery);
});
