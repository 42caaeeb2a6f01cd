import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { crc32 } from "node:zlib";
import { Secret, TOTP } from "otpauth";
import { RawClient } from "../realtime/support/raw-client.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import type { ServiceHere } from "../support/service-here.ts";
import { type Answer, bodyOf, callService, startTrustedService } from "./support/service-calls.ts";
import { until } from "../support/until.ts";

const PASSWORD = "correct horse battery";
const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

interface Person {
  readonly id: string;
  readonly email: string;
  readonly token: string;
}

interface Key {
  readonly id: string;
  readonly key: string;
}

const closers: (() => Promise<void>)[] = [];
const cleanup = { after: (close: () => Promise<void>) => void closers.unshift(close) };
let database: TestDatabase;
let service: ServiceHere;

before(async () => {
  database = await createTestDatabase(cleanup);
  await database.owner.query(`
    create table public.marks (user_id uuid default auth.uid(), name text);
    alter table public.marks enable row level security;
    create policy marks_own on public.marks to authenticated using (true) with check (true);
    grant select, insert, update, delete on public.marks to authenticated;
    create function public.add_mark() returns bigint language sql volatile security definer
      as 'insert into public.marks default values; select count(*) from public.marks';
    create function public.sneak_mark() returns text language plpgsql stable security definer as $$
      begin
        perform set_config('transaction_read_only', 'off', true);
        execute 'insert into public.marks default values';
        return 'written';
      end $$;
    create function public.my_scopes() returns jsonb language sql stable as $$ select auth.jwt() -> 'scopes' $$;
    grant execute on function public.add_mark(), public.sneak_mark(), public.my_scopes() to authenticated;
    create policy every_topic on realtime.messages to authenticated using (true) with check (true)`);
  service = await startTrustedService(cleanup, database, { API_KEYS_PER_USER: "6", API_KEY_MAX_TTL_DAYS: "90" });
});
after(async () => {
  for (const close of closers) await close();
});

function call(operation: string, bearer?: string | null, body?: unknown): Promise<Answer> {
  return callService(service.credentials, operation, bearer, body);
}

async function callOk(...args: Parameters<typeof call>): Promise<Answer["body"]> {
  return bodyOf(await call(...args), args[0]);
}

/** Status and code of a call that is rejected. */
async function reject(...args: Parameters<typeof call>): Promise<string> {
  const { status, body } = await call(...args);
  return `${status} ${body?.code}`;
}

async function createOnce(token: string, idempotencyKey: string): Promise<Answer> {
  const { url, anon_key: apikey } = service.credentials;
  const response = await fetch(`${url}/functions/v1/api-keys`, {
    method: "POST",
    headers: {
      apikey,
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      "idempotency-key": idempotencyKey,
    },
    body: JSON.stringify({ action: "create", name: "once" }),
  });
  return { status: response.status, body: await response.json() };
}

let people = 0;

async function signUp(): Promise<Person> {
  people += 1;
  const email = `keys-${people}@example.com`;
  const { access_token: token, user } = await callOk("POST /auth/v1/signup", null, { email, password: PASSWORD });
  return { id: user.id, email, token };
}

async function makeKey(token: string, scopes: readonly string[] = ["read"], more: object = {}): Promise<Key> {
  const { key, api_key: row } = await callOk("POST /functions/v1/api-keys", token, {
    action: "create",
    name: "a key",
    scopes,
    ...more,
  });
  return { id: row.id, key };
}

const revoke = (token: string, id: string): Promise<Answer> =>
  call("POST /functions/v1/api-keys", token, { action: "revoke", id });

const countMarks = async (): Promise<number> =>
  (await database.owner.query("select count(*)::integer as marks from public.marks")).rows[0].marks;

function withChecksum(text: string): string {
  let checksum = "";
  for (let rest = BigInt(crc32(text)); checksum.length < 6; rest /= 62n)
    checksum = DIGITS[Number(rest % 62n)] + checksum;
  return text + checksum;
}

describe("an API key", () => {
  test("takes the place of one whose response was lost, if the request is repeated with its Idempotency-Key", async () => {
    const person = await signUp();
    const other = await signUp();
    const answers = await Promise.all([1, 2, 3].map(() => createOnce(person.token, "create-1")));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [201, 201, 201],
    );
    const listed = await callOk("GET /rest/v1/api_keys", person.token);
    assert.equal(listed.length, 1);
    const live = answers.filter(({ body }) => body.api_key.id === listed[0].id).map(({ body }) => body.key);
    assert.equal(live.length, 1);
    for (const { body } of answers)
      assert.equal((await call("GET /rest/v1/agents", body.key)).status, body.key === live[0] ? 200 : 401);
    // Another user's request has nothing to do with it.
    assert.equal((await createOnce(other.token, "create-1")).status, 201);
    await until(async () => (await callOk("GET /rest/v1/api_keys", person.token))[0].last_used_at !== null);
    const repeated = await createOnce(person.token, "create-1");
    assert.equal(repeated.body.code, "IDEMPOTENCY_KEY_REUSED");
    assert.equal((await call("GET /rest/v1/agents", live[0])).status, 200);
  });

  test("stands for its user, is stored as a hash, shown once and recorded", async () => {
    const person = await signUp();
    const other = await signUp();
    const soon = new Date(Date.now() + 3_600_000).toISOString();
    const { key, api_key: row } = await callOk("POST /functions/v1/api-keys", person.token, {
      action: "create",
      name: "  deploy  ",
      scopes: ["write", "read", "write"],
      expires_at: soon,
    });
    assert.match(key, /^sk_[0-9A-Za-z]{49}$/);
    assert.equal(key, withChecksum(key.slice(0, -6)));
    assert.deepEqual(
      [row.name, row.scopes, row.prefix, new Date(row.expires_at).toISOString(), row.last_used_at, row.user_id],
      ["deploy", ["read", "write"], key.slice(0, 9), soon, null, person.id],
    );
    const agent = { name: "Made with a key" };
    await callOk("POST /rest/v1/agents", key, agent);
    assert.deepEqual(await callOk("GET /rest/v1/agents?select=name", person.token), [agent]);
    assert.deepEqual(await callOk("GET /rest/v1/rpc/my_scopes", key), ["read", "write"]);
    const [listed] = await callOk("GET /rest/v1/api_keys", person.token);
    assert.deepEqual(
      { ...listed, last_used_at: null },
      // The table has the keys of programs, too, which have a client.
      { ...row, client_id: null, expires_at: listed.expires_at, created_at: listed.created_at },
    );
    assert.deepEqual(await callOk("GET /rest/v1/api_keys", other.token), []);
    assert.deepEqual((await callOk("GET /auth/v1/sessions", person.token)).sessions.length, 1);
    await until(async () => (await callOk("GET /rest/v1/api_keys", person.token))[0].last_used_at !== null);
    const { rows } = await database.owner.query(
      "select (select string_agg(s::text, ' ') from auth.sessions s) || (select string_agg(k::text, ' ') from public.api_keys k) as stored",
    );
    assert.ok(!rows[0].stored.includes(key.slice(9, 30)));
    assert.ok(!service.output().includes(key));
    await until(() =>
      new RegExp(`"userId":"${person.id}","id":"${row.id}".*"event":"api_key.created"`).test(service.output()),
    );
    assert.equal((await revoke(person.token, row.id)).status, 200);
    const audit = await database.owner.query(
      "select action from auth.audit_log_entries where user_id = $1 order by created_at",
      [person.id],
    );
    assert.deepEqual(audit.rows, [{ action: "api_key_created" }, { action: "api_key_revoked" }]);
    assert.equal((await revoke(person.token, row.id)).status, 404);
  });

  test("that is forged, cut, revoked, expired or of a banned or deleted user is rejected at once", async () => {
    const person = await signUp();
    const { key, id } = await makeKey(person.token, ["read", "write", "run", "approve"]);
    const forged = withChecksum(`sk_${"A".repeat(43)}`);
    for (const wrong of [forged, key.slice(0, -1), `${key}A`, key.toLowerCase(), "sk_", `sk_${"x".repeat(5_000)}`])
      for (const path of ["GET /rest/v1/agents", "GET /auth/v1/user", "POST /functions/v1/agent-respond"])
        assert.equal(await reject(path, wrong, path.startsWith("GET") ? undefined : {}), "401 UNAUTHORIZED", wrong);
    // As the header apikey it is no key of the service.
    const { status } = await fetch(`${service.credentials.url}/rest/v1/agents`, {
      headers: { apikey: key, authorization: `Bearer ${key}` },
    });
    assert.equal(status, 401);

    await callOk("GET /rest/v1/agents", key);
    await revoke(person.token, id);
    // The node still remembers the key, and its transactions and guards find that it has ended.
    const ended = "The API key does not exist, has expired or was revoked";
    for (const path of ["GET /rest/v1/agents", "GET /auth/v1/user", "POST /functions/v1/agent-respond"]) {
      const { status, body } = await call(path, key, path.startsWith("GET") ? undefined : {});
      assert.deepEqual([status, body["code"], body["message"]], [401, "UNAUTHORIZED", ended], path);
    }

    const expiring = await makeKey(person.token);
    await callOk("GET /rest/v1/agents", expiring.key);
    await database.owner.query("update auth.sessions set not_after = now() where id = $1", [expiring.id]);
    for (const path of ["GET /rest/v1/agents", "GET /auth/v1/user"])
      assert.equal(await reject(path, expiring.key), "401 UNAUTHORIZED");

    const last = await makeKey(person.token);
    await callOk("GET /rest/v1/agents", last.key);
    const admin = service.credentials.service_role_key;
    await callOk(`PUT /auth/v1/admin/users/${person.id}`, admin, { ban_duration: "1h" });
    for (const path of ["GET /rest/v1/agents", "GET /auth/v1/user"])
      assert.equal(await reject(path, last.key), "401 UNAUTHORIZED");
    await callOk(`PUT /auth/v1/admin/users/${person.id}`, admin, { ban_duration: "none" });
    await callOk("GET /rest/v1/agents", last.key);
    await callOk(`DELETE /auth/v1/admin/users/${person.id}`, admin, { should_soft_delete: true });
    assert.equal(await reject("GET /rest/v1/agents", last.key), "401 UNAUTHORIZED");
    const left = await database.owner.query("select 1 from public.api_keys where user_id = $1", [person.id]);
    assert.equal(left.rowCount, 0);
  });

  test("cannot make or revoke keys, change credentials, sign out or relax security settings", async () => {
    const person = await signUp();
    const { key, id } = await makeKey(person.token, ["read", "write", "run", "approve", "share", "secrets"]);
    const attempts: [string, unknown?][] = [
      ["GET /auth/v1/user"],
      ["GET /rest/v1/api_keys"],
      ["GET /rest/v1/user_settings"],
      ["PATCH /rest/v1/user_settings?user_id=not.is.null", { theme: "dark" }],
      ["PATCH /rest/v1/profiles?id=not.is.null", { full_name: "Somebody else" }],
      ["POST /functions/v1/tools", { action: "authorize", url: "https://mcp.example.com" }],
      ["POST /functions/v1/tools", { action: "finish_authorization", state: "s", code: "c" }],
      ["POST /functions/v1/tools", { action: "revoke_authorization", url: "https://mcp.example.com" }],
      ["POST /functions/v1/api-keys", { action: "create", name: "child", scopes: ["read"] }],
      ["POST /functions/v1/api-keys", { action: "revoke", id }],
      ["POST /functions/v1/request-signing", { action: "regenerate_secret" }],
      ["PUT /auth/v1/user", { password: "another long password" }],
      ["PUT /auth/v1/user", { email: "thief@example.com" }],
      ["PUT /auth/v1/user", { data: { role: "admin" } }],
      ["GET /auth/v1/reauthenticate"],
      ["POST /auth/v1/logout?scope=global"],
      ["GET /auth/v1/sessions"],
      [`DELETE /auth/v1/sessions/${id}`],
      ["POST /auth/v1/factors", { factor_type: "totp" }],
      ["PATCH /rest/v1/user_settings?user_id=not.is.null", { daily_token_budget: 1_000_000 }],
      ["PATCH /rest/v1/user_settings?user_id=not.is.null", { require_request_signature: true }],
    ];
    for (const [operation, body] of attempts)
      assert.equal(
        await reject(operation, key, body),
        "403 API_KEY_NOT_ALLOWED",
        `${operation} ${JSON.stringify(body)}`,
      );
    for (const operation of ["GET /auth/v1/admin/users", `DELETE /auth/v1/admin/users/${person.id}`])
      assert.equal(await reject(operation, key, operation.startsWith("GET") ? undefined : {}), "403 FORBIDDEN");
    for (const operation of [
      "POST /rest/v1/api_keys",
      "PATCH /rest/v1/api_keys?id=not.is.null",
      "DELETE /rest/v1/api_keys?id=not.is.null",
    ])
      assert.equal((await call(operation, key, { id, scopes: ["approve"] })).status, 403, operation);
    const { body } = await call("PUT /auth/v1/user", key, { password: "another long password" });
    assert.equal(body.error_code, "api_key_not_allowed", "the code that clients for accounts read");
    // Neither a sign-out nor a key's id as a session reaches keys.
    assert.equal((await call(`DELETE /auth/v1/sessions/${id}`, person.token)).status, 404);
    await callOk("POST /auth/v1/logout?scope=global", person.token);
    await callOk("GET /rest/v1/agents", key);
  });

  test("of another user can be neither revoked nor read, and the limits of keys hold", async () => {
    const [person, other] = [await signUp(), await signUp()];
    const { id, key } = await makeKey(person.token);
    assert.equal(
      await reject("POST /functions/v1/api-keys", other.token, { action: "revoke", id }),
      "404 API_KEY_NOT_FOUND",
    );
    await callOk("GET /rest/v1/agents", key);
    const create = (body: object, token = person.token) =>
      reject("POST /functions/v1/api-keys", token, { action: "create", name: "n", ...body });
    for (const body of [
      { name: " " },
      { name: "n".repeat(101) },
      { scopes: ["admin"] },
      { scopes: "read" },
      { scopes: [] },
      { resources: {} },
      { resources: { agents: [], swarms: [] } },
      { resources: { agents: [person.id] } },
      { resources: { swarms: [person.id] } },
      { resources: { tools: [person.id] } },
      { expires_at: "soon" },
    ])
      assert.equal(await create(body), "400 VALIDATION_ERROR", JSON.stringify(body));
    for (const days of [-1, 91]) {
      const expires_at = new Date(Date.now() + days * 86_400_000).toISOString();
      assert.equal(await create({ expires_at }), "400 VALIDATION_ERROR");
    }
    assert.equal(await create({}, service.credentials.service_role_key), "403 FORBIDDEN");
    assert.equal(await create({}, service.credentials.anon_key), "401 UNAUTHORIZED");
    const made = await Promise.all(Array.from({ length: 10 }, () => create({})));
    assert.deepEqual(made.filter((answer) => answer !== "403 API_KEY_LIMIT_REACHED").length, 5);
    const [first] = await callOk("GET /rest/v1/api_keys?order=created_at.desc&limit=1", person.token);
    assert.ok(
      Date.parse(first.expires_at) > Date.now() + 89 * 86_400_000,
      "the latest expiry that the operator permits",
    );
    // An operator revokes any key.
    assert.equal((await revoke(service.credentials.service_role_key, id)).status, 200);
    assert.equal(await reject("GET /rest/v1/agents", key), "401 UNAUTHORIZED");
  });

  test("has no more than its scopes, through tables, batch, functions and broadcasts", async () => {
    const person = await signUp();
    const [reader, runner] = [await makeKey(person.token), await makeKey(person.token, ["run"])];
    const before = await countMarks();
    const NO_SCOPE = "403 INSUFFICIENT_SCOPE";
    await callOk("GET /rest/v1/marks", reader.key);
    assert.equal(await reject("GET /rest/v1/marks", runner.key), NO_SCOPE);
    assert.equal(await reject("GET /rest/v1/rpc/my_scopes", runner.key), NO_SCOPE);
    for (const { key } of [reader, runner]) {
      const batch = (...operations: object[]) => reject("POST /functions/v1/batch", key, { operations });
      assert.equal(await batch({ method: "GET", path: "/marks" }), key === reader.key ? "200 undefined" : NO_SCOPE);
      assert.equal(
        await batch({ method: "GET", path: "/marks" }, { method: "POST", path: "/marks", body: {} }),
        NO_SCOPE,
      );
      assert.equal(await batch({ method: "POST", path: "/rpc/add_mark", body: {} }), NO_SCOPE);
      for (const operation of [
        "POST /rest/v1/marks",
        "PATCH /rest/v1/marks?user_id=not.is.null",
        "DELETE /rest/v1/marks?user_id=not.is.null",
        "POST /rest/v1/agents",
      ])
        assert.equal(await reject(operation, key, { name: "x" }), NO_SCOPE, operation);
      assert.equal(await reject("POST /rest/v1/rpc/add_mark", key, {}), NO_SCOPE);
      // A function that lies about being stable runs read-only, and PostgreSQL keeps it so.
      for (const name of ["add_mark", "sneak_mark"]) {
        const { status } = await call(`GET /rest/v1/rpc/${name}`, key);
        assert.ok(status >= 400, `${name} ${status}`);
      }
      for (const name of ["webhooks", "test-webhook", "webhook-dispatcher"])
        assert.equal(await reject(`POST /functions/v1/${name}`, key, {}), NO_SCOPE, name);
      const listed = { action: "list", url: "https://mcp.example.com" };
      assert.equal(await reject("POST /functions/v1/tools", key, listed), NO_SCOPE);
      assert.equal(await reject("POST /realtime/v1/api/broadcast", key, { messages: [] }), NO_SCOPE);
    }
    assert.equal(await countMarks(), before);
    const asked = { agent_id: person.id, message: "Hello" };
    assert.equal(await reject("POST /functions/v1/agent-respond", reader.key, asked), NO_SCOPE);
    assert.equal(await reject("POST /functions/v1/agent-respond", runner.key, {}), "400 VALIDATION_ERROR");
    const decision = {
      action: "approve",
      run_id: person.id,
      decisions: [{ tool_execution_id: person.id, approved: true }],
    };
    assert.equal(await reject("POST /functions/v1/agent-respond", runner.key, decision), NO_SCOPE);
    const approver = await makeKey(person.token, ["run", "approve"]);
    assert.equal(await reject("POST /functions/v1/agent-respond", approver.key, decision), "404 RUN_NOT_FOUND");
  });

  test("joins channels, sends nothing without write, and leaves them when it is revoked", async () => {
    const person = await signUp();
    const { key, id } = await makeKey(person.token);
    const { url, anon_key: apikey } = service.credentials;
    const socket = await RawClient.open(cleanup, url, { apikey });
    const config = { broadcast: { ack: true, self: true }, private: true };
    assert.equal((await socket.join("realtime:keys", config, key))["status"], "ok");
    const ask = async (event: string, payload: object): Promise<unknown> => {
      const ref = socket.send("1", "realtime:keys", event, payload);
      const [, , , , reply] = await socket.next((frame) => frame[1] === ref);
      return reply["status"];
    };
    assert.equal(await ask("broadcast", { type: "broadcast", event: "e", payload: {} }), "error");
    assert.equal(await ask("broadcast", { type: "broadcast", event: "e", payload: {}, persist: true }), "error");
    assert.equal(await ask("presence", { type: "presence", event: "track", payload: {} }), "error");
    await revoke(person.token, id);
    await socket.next((frame) => frame[2] === "realtime:keys" && ["phx_close", "phx_error"].includes(frame[3]));
    assert.equal((await socket.join("realtime:again", config, key, "2"))["status"], "error");
  });

  test("needs the second factor of its user when it is made, and then counts as verified", async () => {
    const person = await signUp();
    const early = await makeKey(person.token);
    const { id, totp } = await callOk("POST /auth/v1/factors", person.token, { factor_type: "totp" });
    const challenge = await callOk(`POST /auth/v1/factors/${id}/challenge`, person.token, {});
    const code = TOTP.generate({ secret: Secret.fromBase32(totp.secret) });
    const verified = await callOk(`POST /auth/v1/factors/${id}/verify`, person.token, {
      challenge_id: challenge.id,
      code,
    });
    const weak = await callOk("POST /auth/v1/token?grant_type=password", null, {
      email: person.email,
      password: PASSWORD,
    });
    const { status, body } = await call("POST /functions/v1/api-keys", weak.access_token, {
      action: "create",
      name: "n",
    });
    assert.deepEqual([status, body.error_code], [403, "insufficient_aal"]);
    const { key } = await makeKey(verified.access_token);
    await callOk("GET /rest/v1/agents", key);
    // Made before the factor, it would let a stolen password outlast it.
    const { status: earlyStatus, body: earlyBody } = await call("GET /rest/v1/agents", early.key);
    assert.deepEqual([earlyStatus, earlyBody.error_code], [403, "insufficient_aal"]);
    assert.equal((await call("GET /auth/v1/user", early.key)).body.error_code, "insufficient_aal");
  });

  test("without approve can neither switch approvals off nor call a tool that needs one", async () => {
    const person = await signUp();
    await callOk("POST /rest/v1/tools", person.token, {
      name: "publish",
      description: "Publishes an article.",
      requires_approval: true,
    });
    const [{ id }] = await callOk("GET /rest/v1/tools?name=eq.publish", person.token);
    const writer = await makeKey(person.token, ["read", "write", "run"]);
    const relax = { requires_approval: false };
    const upserted = { ...relax, id, name: "publish", description: "Publishes an article." };
    const operations = [{ method: "PATCH", path: `/tools?id=eq.${id}`, body: relax }];
    const attempts: [string, unknown][] = [
      [`PATCH /rest/v1/tools?id=eq.${id}`, relax],
      [`PUT /rest/v1/tools?id=eq.${id}`, upserted],
    ];
    for (const [operation, body] of attempts)
      assert.equal(await reject(operation, writer.key, body), "403 INSUFFICIENT_SCOPE", operation);
    assert.notEqual((await call("POST /functions/v1/batch", writer.key, { operations })).status, 200);
    assert.deepEqual(await callOk(`GET /rest/v1/tools?id=eq.${id}&select=requires_approval`, writer.key), [
      { requires_approval: true },
    ]);
    await callOk(`PATCH /rest/v1/tools?id=eq.${id}`, writer.key, { description: "Publishes." });
    const approver = await makeKey(person.token, ["read", "write", "approve"]);
    const tested = { action: "test", tool_id: id, input: {} };
    for (const { key } of [writer, approver])
      assert.equal(await reject("POST /functions/v1/tools", key, tested), "403 API_KEY_NOT_ALLOWED");
    await callOk("POST /functions/v1/tools", person.token, tested);
    await callOk(`PATCH /rest/v1/tools?id=eq.${id}`, approver.key, relax);
  });

  test("that is revoked on one node ends on another node that has just accepted it", async () => {
    const person = await signUp();
    const { key, id } = await makeKey(person.token, ["read", "write", "run"]);
    const { credentials: other } = await startTrustedService(cleanup, database);
    const calls: [string, unknown?][] = [
      ["GET /rest/v1/agents"],
      ["POST /rest/v1/agents", { name: "Made on another node" }],
      ["POST /functions/v1/batch", { operations: [{ method: "GET", path: "/agents" }] }],
      ["POST /realtime/v1/api/broadcast", { messages: [{ topic: "public", event: "e", payload: {} }] }],
    ];
    for (const [operation, body] of calls) bodyOf(await callService(other, operation, key, body), operation);
    const socket = await RawClient.open(cleanup, other.url, { apikey: other.anon_key });
    const postgres_changes = [{ event: "*", schema: "public", table: "agents" }];
    assert.equal((await socket.join("realtime:keys", { private: true, postgres_changes }, key))["status"], "ok");
    await revoke(person.token, id);
    for (const [operation, body] of calls)
      assert.equal((await callService(other, operation, key, body)).status, 401, operation);
    await socket.next((frame) => frame[2] === "realtime:keys" && ["phx_close", "phx_error"].includes(frame[3]));
  });
});
