import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, it } from "node:test";
import { API_VERSION, DELIVERY_STATUSES, EVENT_TYPES, WEBHOOK_LIMIT_PER_USER } from "@swarmbase/sdk";
import { FORBIDDEN, openStage, violates, rejects } from "./support/stage.ts";

const HOOK = { name: "Hook", url: "https://hooks.example.com/x", events: ["message.created"] };
const WIDE = "𝕏";

const ACCEPTED: readonly Record<string, unknown>[] = [
  { name: WIDE.repeat(100) },
  { url: "HTTPS://example.com" },
  { url: "https://example.com:8443/a?b=c#d" },
  { url: "https://example.com/".padEnd(2048, "a") },
  { events: EVENT_TYPES },
  { headers: {} },
  { headers: { "X-Custom!#$%&'*+.^_`|~-": "tab\tand ~printable~" } },
  { headers: Object.fromEntries(Array.from({ length: 20 }, (_, place) => [`x-${place}`, ""])) },
  { headers: { authorization: "a".repeat(4096) } },
  { retry_count: 0 },
  { retry_count: 10 },
  { timeout_ms: 1 },
  { timeout_ms: 120_000 },
  { is_active: false },
];

const REJECTED: readonly [string, Record<string, unknown>][] = [
  ["webhooks_name_length", { name: "\u3000" }],
  ["webhooks_name_length", { name: WIDE.repeat(101) }],
  ["webhooks_url_length", { url: "https://example.com/".padEnd(2049, "a") }],
  ...[
    "",
    "http://example.com",
    "https://",
    "https:///x",
    "https://ex ample.com",
    "https://a\\b",
    "https://a\n",
    "ftp://a",
  ].map((url): [string, Record<string, unknown>] => ["webhooks_url_https", { url }]),
  ["webhooks_events_not_empty", { events: [] }],
  ["webhooks_events_known", { events: ["*"] }],
  ["webhooks_events_known", { events: ["message.created", "message.exploded"] }],
  ["webhooks_events_known", { events: ["message.created", null] }],
  ...[
    "[]",
    "null",
    { "x-a": 1 },
    { "x-a": null },
    { "": "x" },
    { "x a": "x" },
    { "x-é": "x" },
    { ["x".repeat(129)]: "x" },
    { "x-a": "a\r\nb: c" },
    { "x-a": "é" },
    { "x-a": "a".repeat(4097) },
    Object.fromEntries(Array.from({ length: 21 }, (_, place) => [`x-${place}`, ""])),
    ...[
      "Host",
      "content-type",
      "Content-Length",
      "connection",
      "keep-alive",
      "Expect",
      "TE",
      "trailer",
      "transfer-encoding",
    ].map((name) => ({ [name]: "x" })),
    ...["upgrade", "User-Agent", "proxy-authorization", "X-Service-Signature", "webhook-id"].map((name) => ({
      [name]: "x",
    })),
  ].map((headers): [string, Record<string, unknown>] => ["webhooks_headers_allowed", { headers }]),
  [
    "webhooks_headers_size",
    { headers: Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`x-${n}`, "a".repeat(4000)])) },
  ],
  ["webhooks_retry_count_range", { retry_count: -1 }],
  ["webhooks_retry_count_range", { retry_count: 11 }],
  ["webhooks_timeout_ms_range", { timeout_ms: 0 }],
  ["webhooks_timeout_ms_range", { timeout_ms: 120_001 }],
];

describe("webhooks", () => {
  const opened = openStage();

  it("get their defaults and a secret of their own", async () => {
    const { stage } = opened;
    const user = await stage.newUser();
    const { id, secret, created_at, updated_at, ...rest } = await stage.insert(user, "webhooks", {
      ...HOOK,
      name: " Hook\u00a0",
      disabled_reason: "x",
      disabled_at: "2000-01-01",
      created_at: "2000-01-01",
    });
    assert.match(String(secret), /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.equal(Buffer.from(String(secret).slice("whsec_".length), "base64").length, 32);
    assert.ok((created_at as Date).getFullYear() > 2000);
    assert.ok(id !== "" && updated_at instanceof Date);
    assert.deepEqual(rest, {
      user_id: user,
      name: "Hook",
      url: HOOK.url,
      events: HOOK.events,
      is_active: true,
      headers: {},
      retry_count: 3,
      timeout_ms: 30_000,
      api_version: API_VERSION,
      disabled_reason: null,
      disabled_at: null,
      run_id: null,
      bodies: null,
      receives_app_events: false,
      filter: null,
    });
    const secrets = await stage.run(
      user,
      "insert into webhooks (name, url, events) select 'a', $1, $2 from generate_series(1, 20) returning secret",
      [HOOK.url, HOOK.events],
    );
    assert.equal(new Set(secrets.map((row) => row["secret"])).size, 20);
  });

  it("accept what is within bounds", async () => {
    const { stage } = opened;
    const user = await stage.newUser();
    const { id } = await stage.insert(user, "webhooks", HOOK);
    for (const record of ACCEPTED) {
      await stage.insert(user, "webhooks", { ...HOOK, ...record });
      assert.equal((await stage.update(user, "webhooks", id, record)).length, 1);
    }
  });

  for (const [constraint, record] of REJECTED) {
    it(`reject ${JSON.stringify(record).slice(0, 60)}`, async () => {
      const { stage } = opened;
      const user = await stage.newUser();
      const { id } = await stage.insert(user, "webhooks", HOOK);
      await rejects(stage.insert(user, "webhooks", { ...HOOK, ...record }), violates(constraint));
      await rejects(stage.update(user, "webhooks", id, record), violates(constraint));
    });
  }

  it("name each event once, in the order given", async () => {
    const { stage } = opened;
    const events = ["user.joined", "message.created", "user.joined", "agent.error", "message.created"];
    const { events: stored } = await stage.insert(await stage.newUser(), "webhooks", { ...HOOK, events });
    assert.deepEqual(stored, ["user.joined", "message.created", "agent.error"]);
  });

  it("keep their secret from everybody who sends another one", async () => {
    const { stage } = opened;
    const user = await stage.newUser();
    const { id, secret } = await stage.insert(user, "webhooks", HOOK);
    const rejection = { ...violates("webhooks_secret_managed"), column: "secret" };
    for (const caller of [user, "service_role"]) {
      await rejects(stage.insert(caller, "webhooks", { ...HOOK, user_id: user, secret: "mine" }), rejection);
      await rejects(stage.update(caller, "webhooks", id, { secret: "mine" }), rejection);
      assert.equal((await stage.update(caller, "webhooks", id, { secret }))[0]?.["secret"], secret);
    }
    assert.equal((await stage.update("internal", "public.webhooks", id, { secret: "new" }))[0]?.["secret"], "new");
  });

  it("keep the reason why they were disabled until they are enabled again", async () => {
    const { stage } = opened;
    const user = await stage.newUser();
    const { id } = await stage.insert(user, "webhooks", HOOK);
    const off = { is_active: false, disabled_reason: "gone", disabled_at: new Date() };
    await stage.update("internal", "public.webhooks", id, off);
    await rejects(
      stage.update(user, "webhooks", id, { disabled_reason: null }),
      violates("webhooks_disabled_reason_immutable"),
    );
    await stage.update(user, "webhooks", id, { name: "Still off" });
    assert.equal((await stage.find(user, "webhooks", id))?.["disabled_reason"], "gone");
    const [on] = await stage.update(user, "webhooks", id, { is_active: true });
    assert.deepEqual([on?.["disabled_reason"], on?.["disabled_at"]], [null, null]);
  });

  it("stay with their owner, under their id and version", async () => {
    const { stage } = opened;
    const [user, other] = [await stage.newUser(), await stage.newUser()];
    const { id } = await stage.insert(user, "webhooks", HOOK);
    await rejects(stage.insert(user, "webhooks", { ...HOOK, user_id: other }), FORBIDDEN);
    await rejects(stage.update(user, "webhooks", id, { user_id: other }), {
      ...FORBIDDEN,
      constraint: "webhooks_user_id_transfer",
    });
    await rejects(stage.update(user, "webhooks", id, { id: randomUUID() }), violates("webhooks_id_immutable"));
    await rejects(
      stage.update(user, "webhooks", id, { api_version: "2027-01-01" }),
      violates("webhooks_api_version_immutable"),
    );
    await rejects(
      stage.insert(user, "webhooks", { ...HOOK, api_version: "2027-01-01" }),
      violates("webhooks_api_version_known"),
    );
    assert.equal(await stage.find(other, "webhooks", id), undefined);
  });

  it("have deliveries whose columns agree with their status", async () => {
    const { stage } = opened;
    const user = await stage.newUser();
    const { id: webhook_id } = await stage.insert(user, "webhooks", HOOK);
    const payload = '{"b":1, "a":2}';
    const delivery = { webhook_id, user_id: user, event_id: randomUUID(), event_type: "message.created", payload };
    const add = (record: Record<string, unknown>) =>
      stage.insert("internal", "public.webhook_deliveries", { ...delivery, ...record });
    const now = new Date();
    for (const status of DELIVERY_STATUSES) await add({ status, delivered_at: status === "delivered" ? now : null });
    await add({ status: "retrying", next_retry_at: now });
    await rejects(add({ status: "lost" }), violates("webhook_deliveries_status_known"));
    await rejects(add({ status: "delivered" }), violates("webhook_deliveries_delivered_at_only_delivered"));
    await rejects(
      add({ status: "failed", delivered_at: now }),
      violates("webhook_deliveries_delivered_at_only_delivered"),
    );
    await rejects(
      add({ status: "pending", next_retry_at: now }),
      violates("webhook_deliveries_next_retry_at_only_retrying"),
    );
    await rejects(add({ attempts: -1 }), violates("webhook_deliveries_attempts_range"));
    const outsider = await stage.newUser();
    await rejects(stage.insert("service_role", "public.webhook_deliveries", { ...delivery, user_id: outsider }), {
      code: "23503",
      constraint: "webhook_deliveries_webhook_id_fkey",
    });
    const [kept] = await stage.run(user, "select payload::text from webhook_deliveries limit 1");
    assert.equal(kept?.["payload"], payload);
    assert.deepEqual(await stage.run(outsider, "select id from webhook_deliveries"), []);
    await rejects(stage.run(user, "update webhook_deliveries set attempts = 9"), FORBIDDEN);
    await rejects(stage.run(user, "delete from webhook_deliveries"), FORBIDDEN);
    await stage.remove(user, "webhooks", webhook_id);
    assert.deepEqual(
      await stage.run("internal", "select id from public.webhook_deliveries where webhook_id = $1", [webhook_id]),
      [],
    );
  });

  it("stop at the limit when several requests want the last place, and free it when one is deleted", async () => {
    const { stage } = opened;
    const user = await stage.newUser();
    const bulk = "insert into webhooks (name, url, events) select 'a', $1, $2 from generate_series(1, $3::int)";
    await stage.run(user, bulk, [HOOK.url, HOOK.events, WEBHOOK_LIMIT_PER_USER - 1]);
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => stage.insert(user, "webhooks", HOOK)));
    assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 1);
    const [mine] = await stage.run(user, "select id, secret from webhooks limit 1");
    const upsert = `insert into webhooks (id, name, url, events, secret) values ($1, 'b', $2, $3, $4)
      on conflict (id) do update set name = excluded.name returning id`;
    assert.equal((await stage.run(user, upsert, [mine?.["id"], HOOK.url, HOOK.events, mine?.["secret"]])).length, 1);
    await rejects(stage.insert(user, "webhooks", HOOK), violates("webhooks_limit_per_user"));
    await stage.remove(user, "webhooks", mine?.["id"]);
    await stage.insert(user, "webhooks", HOOK);
    await rejects(
      stage.insert("service_role", "webhooks", { ...HOOK, user_id: user }),
      violates("webhooks_limit_per_user"),
    );
  });

  it("are counted for the limit, whatever statements insert and delete them", async () => {
    const { stage } = opened;
    const { owner } = stage.database;
    const users = await Promise.all(Array.from({ length: 4 }, () => stage.newUser()));
    const countDifferences = async (): Promise<unknown[]> => {
      const { rows } = await owner.query(
        `select u.id, c.webhooks, count(w.id) from unnest($1::uuid[]) as u (id)
         left join private.webhook_counters c on c.user_id = u.id left join webhooks w on w.user_id = u.id
         group by u.id, c.webhooks having coalesce(c.webhooks, 0) <> count(w.id)`,
        [users],
      );
      return rows;
    };
    const all = [users, users.toReversed()];
    const insert =
      "insert into webhooks (name, url, events, user_id) select 'a', 'https://example.com/', '{agent.created}', unnest($1::uuid[])";
    const remove =
      "delete from webhooks where id in (select id from webhooks where user_id = any ($1) order by random() limit 2)";
    await Promise.all(
      Array.from({ length: 40 }, (_, at) => stage.run("service_role", at % 3 === 2 ? remove : insert, [all[at % 2]])),
    );
    assert.deepEqual(await countDifferences(), []);
    await owner.query("begin");
    await owner.query("truncate webhooks cascade");
    assert.deepEqual(await countDifferences(), []);
    await owner.query("rollback");
    await owner.query("delete from auth.users where id = any ($1)", [users]);
    const { rows } = await owner.query("select 1 from private.webhook_counters where user_id = any ($1)", [users]);
    assert.deepEqual(rows, []);
  });
});
