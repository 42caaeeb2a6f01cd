import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { apiErrorOf } from "./support/api-errors.ts";
import { ok, openAdmin, openClient } from "./support/clients.ts";
import { NEEDS_RECEIVER } from "./support/given-service.ts";
import {
  newPerson,
  onlyRow,
  openSend,
  openServiceRole,
  type Person,
  REPRESENTATION,
  type Row,
  type Send,
} from "./support/people.ts";
import { type Receiver, startReceiver } from "./support/receiver.ts";
import { type Service, startService } from "./support/service.ts";
import { UNLIMITED } from "./support/settings.ts";
import { addFailed, addWebhook, functionsOf, removeWebhooks } from "./support/webhooks.ts";

const HOOK = { name: "Hook", url: "https://example.com/hook", events: ["agent.created"] };
const SECRET = /^whsec_/;

let service: Service;
let ada: Person;
let bob: Person;
before(async () => {
  service = await startService(UNLIMITED);
  [ada, bob] = [await newPerson(service), await newPerson(service)];
});
after(() => service?.stop());

async function makeToken({ id }: Pick<Person, "id">): Promise<string> {
  const { status, text, body } = await openServiceRole(service).send("POST /functions/v1/webhooks", {
    body: { action: "portal_link", user_id: id },
  });
  assert.equal(status, 200, text);
  const { origin, pathname, search, hash } = new URL(String(body["url"]));
  assert.deepEqual([origin, pathname, search], [service.credentials.url, "/portal", ""]);
  const fragment = new URLSearchParams(hash.slice(1));
  assert.equal(fragment.get("expires_at"), body["expires_at"]);
  const minutes = (Date.parse(String(body["expires_at"])) - Date.now()) / 60_000;
  assert.ok(minutes > 13 && minutes <= 15, `${minutes} minutes`);
  return fragment.get("token") ?? "";
}

async function openPortal(person: Pick<Person, "id">): Promise<{ readonly send: Send }> {
  return { send: openSend(service, { token: await makeToken(person) }) };
}

async function assertRefused(send: Send, line: string, body?: unknown): Promise<void> {
  const answer = await send(line, { ...(body !== undefined && { body }), headers: REPRESENTATION });
  assert.equal(answer.status, 403, `${line} ${answer.status} ${answer.text}`);
}

describe("4.3 the portal", () => {
  test("4.3 only the service role makes a link, for a user who exists and is not banned", async () => {
    const body = { action: "portal_link", user_id: ada.id };
    const key = ok(
      await ada.client.functions.invoke("api-keys", {
        body: { action: "create", name: "k", scopes: ["read", "share"] },
      }),
    ) as { key: string };
    for (const send of [ada.send, (await openPortal(ada)).send, openSend(service, { token: key.key })])
      assert.equal(apiErrorOf(await send("POST /functions/v1/webhooks", { body })).code, "FORBIDDEN");
    const { send } = openServiceRole(service);
    const callFor = (user_id: unknown) => send("POST /functions/v1/webhooks", { body: { ...body, user_id } });
    assert.equal((await callFor("00000000-0000-4000-8000-000000000000")).status, 404);
    for (const wrong of [undefined, null, "ada", 7]) assert.equal((await callFor(wrong)).status, 400);
  });

  test("4.3 the portal shows a secret when a webhook is made or its secret is rotated, and never else", async () => {
    const { send } = await openPortal(ada);
    const made = onlyRow(
      await send("POST /webhooks", { body: { ...HOOK, headers: { "X-Key": "k1" } }, headers: REPRESENTATION }),
    );
    assert.match(String(made["secret"]), SECRET);
    assert.equal(made["user_id"], ada.id);
    assert.ok(!("headers" in made));
    const id = String(made["id"]);
    const read = onlyRow(await send(`GET /webhooks?id=eq.${id}&select=*,header_names`));
    assert.deepEqual([read["secret"], read["headers"], read["receives_app_events"]], [undefined, undefined, undefined]);
    assert.deepEqual([read["header_names"], read["name"]], [["X-Key"], "Hook"]);
    const changed = await send(`PATCH /webhooks?id=eq.${id}`, { body: { name: "Other" }, headers: REPRESENTATION });
    assert.deepEqual([onlyRow(changed)["name"], onlyRow(changed)["secret"]], ["Other", undefined]);
    const row = { ...HOOK, id };
    for (const column of ["secret", "headers", "headers->>X-Key", "receives_app_events", "secret::text", "x:secret"]) {
      await assertRefused(send, `GET /webhooks?select=${column}`);
      await assertRefused(send, `PATCH /webhooks?id=eq.${id}&select=${column}`, { name: "Hook" });
      await assertRefused(send, `DELETE /webhooks?id=eq.00000000-0000-4000-8000-000000000000&select=${column}`);
      await assertRefused(send, `GET /webhook_deliveries?select=webhooks(${column})`);
      const upsert = await send(`POST /webhooks?select=${column}`, {
        body: row,
        headers: { prefer: "return=representation,resolution=merge-duplicates" },
      });
      assert.equal(upsert.status, 403, upsert.text);
    }
    for (const filter of ["secret=like.whsec*", "headers->>X-Key=eq.k1", "receives_app_events=is.true"])
      await assertRefused(send, `GET /webhooks?${filter}`);
    for (const order of ["secret", "headers->>X-Key"]) await assertRefused(send, `GET /webhooks?order=${order}`);
    await assertRefused(send, "GET /webhook_deliveries?webhooks.secret=like.w*&select=id,webhooks!inner(id)");
    const merged = await send("POST /webhooks", {
      body: row,
      headers: { prefer: "return=representation,resolution=merge-duplicates" },
    });
    assert.equal(onlyRow(merged)["secret"], undefined, merged.text);
    const rotated = await functionsOf({ send })("webhooks", { action: "regenerate_secret", webhook_id: id });
    assert.match(String(rotated.body["new_secret"]), SECRET);
    assert.notEqual(rotated.body["new_secret"], made["secret"]);
    await removeWebhooks(ada);
  });

  test("4.3 the values of headers and the secret of one host do not go to another that the portal names", async () => {
    const { send } = await openPortal(ada);
    const webhook = await addWebhook(ada, HOOK.url, { headers: { "X-Key": "k1" } });
    await send(`PATCH /webhooks?id=eq.${webhook.id}`, { body: { url: "https://elsewhere.example.com/" } });
    const moved = onlyRow(await ada.send(`GET /webhooks?id=eq.${webhook.id}`));
    assert.deepEqual(moved["headers"], {});
    assert.notEqual(moved["secret"], webhook.secret);
    await removeWebhooks(ada);
  });

  test("4.3 receives_app_events is out of reach", async () => {
    const { send } = await openPortal(ada);
    const [own, set] = [await addWebhook(ada, HOOK.url), await addWebhook(ada, HOOK.url)];
    const change = { receives_app_events: true };
    await openServiceRole(service).send(`PATCH /webhooks?id=eq.${set.id}`, { body: change });
    await assertRefused(send, "POST /webhooks", { ...HOOK, ...change });
    await assertRefused(send, `PATCH /webhooks?id=eq.${own.id}`, change);
    await assertRefused(send, `PATCH /webhooks?id=eq.${set.id}`, { receives_app_events: false });
    await removeWebhooks(ada);
  });

  test("4.3 the portal sees and changes the webhooks of its user alone", async () => {
    const [mine, theirs] = [await addWebhook(ada, HOOK.url), await addWebhook(bob, HOOK.url)];
    const { send } = await openPortal(ada);
    assert.deepEqual((await send("GET /webhooks?select=id")).rows, [{ id: mine.id }]);
    assert.deepEqual(
      (await send(`PATCH /webhooks?id=eq.${theirs.id}&select=id`, { body: {}, headers: REPRESENTATION })).rows,
      [],
    );
    await assertRefused(send, "POST /webhooks", { ...HOOK, user_id: bob.id });
    const call = functionsOf({ send });
    for (const [name, body] of [
      ["test-webhook", { event_type: "agent.created" }],
      ["webhooks", { action: "regenerate_secret" }],
      ["webhooks", { action: "revoke_previous_secrets" }],
      ["webhook-dispatcher", { action: "recover_since", since: "2026-01-01T00:00:00Z" }],
    ] as const)
      assert.equal((await call(name, { ...body, webhook_id: theirs.id })).status, 403, JSON.stringify(body));
    assert.equal((await call("webhooks", { action: "test_filter", filter: {}, user_id: bob.id })).status, 403);
    for (const path of ["/rpc/webhook_health", `/rpc/webhook_health?webhook_id=${theirs.id}`]) {
      const seen = (await send(`GET ${path}`)).rows.map((row) => row["webhook_id"]);
      assert.deepEqual(seen, path.includes("?") ? [] : [mine.id]);
    }
    await removeWebhooks(ada, bob);
  });

  test("4.3 the portal reaches no other table, view, function, embedding, type or description", async () => {
    const { send } = await openPortal(ada);
    const { body } = await service.request("/openapi.json");
    const paths = Object.keys(body["paths"] as Row).filter((path) => path.startsWith("/rest/v1/"));
    const reached = ["webhooks", "webhook_deliveries", "webhook_delivery_attempts", "event_types"];
    const calls = ["rpc/webhook_health", "rpc/webhook_attempt_counts"];
    const others = paths
      .map((path) => path.slice("/rest/v1/".length))
      .filter((name) => name !== "" && ![...reached, ...calls].includes(name));
    assert.ok(others.length > 30, others.join());
    for (const name of others) {
      if (name.startsWith("rpc/")) continue;
      await assertRefused(send, `GET /${name}`);
      await assertRefused(send, `HEAD /${name}`);
      await assertRefused(send, `OPTIONS /${name}`);
      for (const method of ["POST", "PATCH", "DELETE"])
        await assertRefused(send, `${method} /${name}?id=is.null`, method === "DELETE" ? undefined : {});
    }
    await assertRefused(send, "POST /rpc/emit_event", { type: "app.order", data: {}, user_id: ada.id });
    for (const name of ["rpc/restore_agent_version", "rpc/none", "none"])
      await assertRefused(send, `POST /${name}`, {});
    await assertRefused(send, "GET /");
    for (const select of [
      "runs(*)",
      "id,webhook_recoveries(id)",
      "webhook_deliveries(webhooks(runs(id)))",
      "...runs(id)",
    ])
      await assertRefused(send, `GET /webhooks?select=${select}`);
    await assertRefused(send, "GET /webhooks?select=id,webhook_recoveries()&webhook_recoveries=is.null");
    await assertRefused(send, "GET /webhooks?select=id::regclass");
    for (const table of ["webhook_deliveries", "webhook_delivery_attempts", "event_types"])
      for (const method of ["POST", "PATCH", "DELETE"])
        await assertRefused(
          send,
          `${method} /${table}${method === "POST" ? "" : "?id=not.is.null"}`,
          method === "DELETE" ? undefined : table === "event_types" ? { name: "app.mine" } : { id: ada.id },
        );
    for (const table of reached) assert.equal((await send(`GET /${table}?limit=1`)).status, 200, table);
  });

  test("4.3 the portal reaches no other function, account, protocol, channel or route", async () => {
    const token = await makeToken(ada);
    const headers = {
      apikey: service.credentials.anon_key,
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
    };
    const { body } = await service.request("/openapi.json");
    const routes = Object.entries(body["paths"] as Record<string, Row>).flatMap(([path, operations]) =>
      Object.keys(operations)
        .filter((method) => ["get", "post", "put", "patch", "delete"].includes(method))
        .map((method) => [method.toUpperCase(), path] as const),
    );
    const ofPortal = ["test-webhook", "webhook-dispatcher", "webhooks"].map((name) => `/functions/v1/${name}`);
    const anonymous = { ...headers, authorization: "" };
    const odd: string[] = [];
    for (const [method, path] of routes) {
      if (path.startsWith("/rest/v1/") || ofPortal.includes(path)) continue;
      const address = path.replaceAll(/\{\w+\}/g, ada.id);
      const options = { method, ...(method !== "GET" && method !== "DELETE" && { body: "{}" }) };
      const { status } = await service.request(address, { ...options, headers });
      if (status === 403) continue;
      // What ignores who asks answers a caller without a token in the same way.
      const { authorization: _none, ...unsigned } = anonymous;
      const plain = await service.request(address, { ...options, headers: unsigned });
      if (plain.status !== status) odd.push(`${method} ${path} ${status}, without a token ${plain.status}`);
    }
    assert.deepEqual(odd, []);
    for (const [method, path] of [
      ["GET", "/auth/v1/user"],
      ["POST", "/auth/v1/logout"],
      ["GET", "/auth/v1/admin/users"],
      ["POST", "/functions/v1/agent-respond"],
      ["POST", "/functions/v1/api-keys"],
      ["POST", "/functions/v1/batch"],
      ["POST", "/functions/v1/events"],
      ["POST", "/functions/v1/tools"],
      ["POST", "/realtime/v1/api/broadcast"],
      ["POST", "/mcp"],
      ["POST", "/v1/chat/completions"],
      ["GET", "/v1/models"],
    ] as const) {
      const answer = await service.request(path, { method, headers, ...(method === "POST" && { body: "{}" }) });
      assert.equal(answer.status, 403, `${path} ${answer.status} ${answer.text}`);
    }
  });

  test("4.3 the portal joins no realtime channel", async (t) => {
    const client = openClient(service);
    await client.realtime.setAuth(await makeToken(ada));
    const channel = client.channel("webhooks").on("postgres_changes", { event: "*", schema: "public" }, () => {});
    t.after(() => client.removeAllChannels());
    const refusal = await new Promise<string>((resolve) => {
      channel.subscribe((status, error) => resolve(`${status} ${error?.message ?? ""}`));
    });
    assert.match(refusal, /CHANNEL_ERROR.*portal/);
  });

  test("4.3 a token that is forged, changed or of another user is 401", async () => {
    const token = await makeToken(ada);
    const other = await makeToken(bob);
    const cut = (text: string) => text.slice("portal_".length);
    const mixed = [
      `portal_${cut(other).slice(0, 22)}${cut(token).slice(22)}`,
      `portal_${cut(token).slice(0, 29)}${cut(other).slice(29)}`,
      `${token.slice(0, -1)}${token.endsWith("A") ? "B" : "A"}`,
      `${token}A`,
      token.slice(0, -1),
      "portal_",
      `portal_${"A".repeat(72)}`,
      cut(token),
      `sk_${cut(token)}`,
    ];
    for (const wrong of mixed) {
      const { status } = await openSend(service, { token: wrong })("GET /webhooks");
      assert.equal(status, 401, wrong);
    }
  });

  test("4.3 a ban ends the token at once, and so does the deletion of the account", async () => {
    const eve = await newPerson(service);
    const { send } = await openPortal(eve);
    const webhook = await addWebhook(eve, HOOK.url);
    const { auth } = openAdmin(service);
    const attempts = ["GET /webhooks", "GET /webhook_deliveries", "GET /event_types"];
    const test = () => functionsOf({ send })("test-webhook", { webhook_id: webhook.id, event_type: "agent.created" });
    ok(await auth.admin.updateUserById(eve.id, { ban_duration: "1h" }));
    for (const line of attempts) assert.equal((await send(line)).status, 401, line);
    assert.equal((await test()).status, 401);
    const link = { action: "portal_link", user_id: eve.id };
    const banned = await openServiceRole(service).send("POST /functions/v1/webhooks", { body: link });
    assert.equal(banned.status, 403, banned.text);
    ok(await auth.admin.deleteUser(eve.id));
    for (const line of attempts) assert.equal((await send(line)).status, 401, line);
    assert.equal((await test()).status, 401);
  });
});

describe("4.3 deliveries in the portal", { skip: NEEDS_RECEIVER }, () => {
  let receiver: Receiver;
  before(async () => {
    receiver = await startReceiver(service);
  });
  after(() => receiver?.stop());

  test("4.3 the portal tests a webhook, reads deliveries and attempts, retries, replays and recovers", async () => {
    const endpoint = receiver.addEndpoint();
    const { webhook, delivery } = await addFailed(ada, endpoint);
    const { send } = await openPortal(ada);
    const call = functionsOf({ send });
    const read = onlyRow(
      await send(`GET /webhook_deliveries?webhook_id=eq.${webhook.id}&select=*,body:payload::text,webhooks(name)`),
    );
    assert.deepEqual([read["id"], read["status"]], [delivery["id"], "failed"]);
    assert.equal((await send(`GET /webhook_delivery_attempts?delivery_id=eq.${String(read["id"])}`)).rows.length, 1);
    endpoint.answer({ status: 200 });
    const retried = await call("webhook-dispatcher", { action: "retry", delivery_id: read["id"] });
    assert.equal(retried.body["status"], "delivered", retried.text);
    const tested = await call("test-webhook", { webhook_id: webhook.id, event_type: "agent.created" });
    assert.equal(tested.body["success"], true);
    const replayed = await call("webhook-dispatcher", {
      action: "replay",
      event_id: String(read["event_id"]),
      webhook_id: webhook.id,
    });
    assert.equal(replayed.status, 200, replayed.text);
    const since = new Date(Date.now() - 3_600_000).toISOString();
    const recovery = await call("webhook-dispatcher", { action: "recover_since", webhook_id: webhook.id, since });
    assert.equal(recovery.status, 202, recovery.text);
    for (;;) {
      const { body } = await call("webhook-dispatcher", { action: "recovery", recovery_id: recovery.body["id"] });
      if (body["status"] === "completed") break;
      await wait(50);
    }
    const dry = await call("webhooks", { action: "test_filter", filter: {} });
    assert.ok((dry.body["events"] as Row[]).length > 0);
    assert.deepEqual((await call("webhooks", { action: "revoke_previous_secrets", webhook_id: webhook.id })).body, {
      revoked: 0,
    });
    await removeWebhooks(ada);
  });
});
