import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Secret, TOTP } from "otpauth";
import { RawClient } from "../realtime/support/raw-client.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import type { ServiceHere } from "../support/service-here.ts";
import { type Answer, bodyOf, callService, startTrustedService } from "./support/service-calls.ts";
import { until } from "../support/until.ts";
import { WAIT_MS } from "../support/wait-limit.ts";

const PASSWORD = "correct horse battery";

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

const closers: (() => Promise<void>)[] = [];
const cleanup = { after: (close: () => Promise<void>) => void closers.unshift(close) };
let database: TestDatabase;
let service: ServiceHere;

before(async () => {
  database = await createTestDatabase(cleanup);
  service = await startTrustedService(cleanup, database);
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

let people = 0;

type SignedUp = Tokens & { readonly user: { readonly id: string } };

async function signUp(): Promise<SignedUp & { readonly email: string }> {
  people += 1;
  const email = `person-${people}@example.com`;
  return { email, ...((await callOk("POST /auth/v1/signup", null, { email, password: PASSWORD })) as SignedUp) };
}

const signIn = (email: string): Promise<Tokens> =>
  callOk("POST /auth/v1/token?grant_type=password", null, { email, password: PASSWORD });

interface Factor {
  readonly id: string;
  readonly secret: string;
}

async function enrol(token: string): Promise<Factor> {
  const { id, totp } = await callOk("POST /auth/v1/factors", token, { factor_type: "totp" });
  return { id, secret: totp.secret };
}

/** A code works once, so a second verification within one time step uses the next code. */
async function verify(token: string, { id, secret }: Factor, stepsLater = 0): Promise<Tokens> {
  const challenge = await callOk(`POST /auth/v1/factors/${id}/challenge`, token, {});
  const code = TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: Date.now() + stepsLater * 30_000 });
  return callOk(`POST /auth/v1/factors/${id}/verify`, token, { challenge_id: challenge.id, code });
}

async function signUpWithFactor(): Promise<{ email: string; token: string; factor: Factor }> {
  const { email, access_token: token } = await signUp();
  const factor = await enrol(token);
  return { email, factor, token: (await verify(token, factor)).access_token };
}

describe("a stolen refresh token", () => {
  const refresh = (token: string): Promise<Answer> =>
    call("POST /auth/v1/token?grant_type=refresh_token", null, { refresh_token: token });

  const holds = async (condition: string): Promise<boolean> =>
    (await database.owner.query(`select ${condition} as holds`)).rows[0].holds;

  /** As if the last refresh were this much earlier. */
  const moveRefresh = (userId: string, by: string) =>
    database.owner.query("update auth.sessions set refreshed_at = refreshed_at - $2::interval where user_id = $1", [
      userId,
      by,
    ]);

  test("one step behind its owner ends the session, with a log line and an audit entry", async () => {
    const { refresh_token: stolen } = await signUp();
    const owner = (await refresh(stolen)).body as Tokens & { user: { id: string } };
    await callOk("GET /rest/v1/agents", owner.access_token);
    const { id } = owner.user;
    await until(() => holds(`(select seen_refresh_counter from auth.sessions where user_id = '${id}') = 1`));
    // Another tab of the owner, within the reuse window.
    assert.equal((await refresh(stolen)).body.refresh_token, owner.refresh_token);
    await moveRefresh(id, "11 seconds");
    const theft = await refresh(stolen);
    assert.deepEqual([theft.status, theft.body.error_code], [400, "refresh_token_already_used"]);
    assert.equal((await call("GET /rest/v1/agents", owner.access_token)).status, 401);
    assert.equal((await refresh(owner.refresh_token)).status, 400);
    assert.ok(
      await holds(`'refresh_token_reused' = (select action from auth.audit_log_entries where user_id = '${id}')`),
    );
    const line = new RegExp(`"userId":"${id}".*"event":"session.refresh_token_reused"`);
    await until(async () => line.test(service.output()));
  });

  test("ends its session while the account is being deleted", async () => {
    const { refresh_token: stolen } = await signUp();
    const { refresh_token: next } = (await refresh(stolen)).body as Tokens;
    const { id } = ((await refresh(next)).body as { user: { id: string } }).user;
    await moveRefresh(id, "11 seconds");
    await database.owner.query("begin");
    try {
      await database.owner.query("select from auth.users where id = $1 for update", [id]);
      // The deletion waits for the session that the refresh has locked, so the refresh must not wait for the user.
      const theft = await Promise.race([refresh(stolen), sleep(WAIT_MS, undefined, { ref: false })]);
      assert.equal(theft?.status, 400);
    } finally {
      await database.owner.query("rollback");
    }
  });

  test("of a client whose response was lost stays valid until the current one is used", async () => {
    const { refresh_token: kept } = await signUp();
    const lost = (await refresh(kept)).body as Tokens & { user: { id: string } };
    await moveRefresh(lost.user.id, "1 day");
    const again = (await refresh(kept)).body;
    assert.equal(again.refresh_token, lost.refresh_token);
    await callOk("GET /rest/v1/agents", again.access_token);
  });
});

describe("a password without the second factor", () => {
  const DATA_CALLS: readonly (readonly [string, unknown?])[] = [
    ["GET /rest/v1/agents?select=*"],
    ["HEAD /rest/v1/agents"],
    ["POST /rest/v1/agents", { name: "Mallory's" }],
    ["PATCH /rest/v1/profiles?full_name=eq.x", { full_name: "y" }],
    ["POST /rest/v1/rpc/webhook_health", { hours: 1 }],
    [
      "POST /rest/v1/rpc/webhook_attempt_counts",
      { webhook_id: "00000000-0000-4000-8000-000000000000", since: "2026-01-01", until: "2026-01-02" },
    ],
    ["POST /functions/v1/batch", { operations: [{ method: "GET", path: "/agents" }] }],
    ["POST /functions/v1/request-signing", { action: "regenerate_secret" }],
    ["POST /functions/v1/request-signing", { action: "delete_secret" }],
    ["POST /functions/v1/agent-respond", { swarm_id: "00000000-0000-4000-8000-000000000000", message: "hello" }],
    ["POST /functions/v1/webhooks", { action: "regenerate_secret" }],
    ["POST /realtime/v1/api/broadcast", { messages: [{ topic: "room", event: "x", payload: {}, private: true }] }],
  ];

  test("reads and writes nothing, and the error names the step", async (t) => {
    const { email, token: owner, factor } = await signUpWithFactor();
    await callOk("POST /rest/v1/agents", owner, { name: "Ada" });
    const { access_token: token } = await signIn(email);
    for (const [operation, body] of DATA_CALLS) {
      const answer = await call(operation, token, body);
      assert.equal(answer.status, 403, `${operation}: ${JSON.stringify(answer.body)}`);
      if (operation.startsWith("HEAD")) continue;
      assert.equal(answer.body.error_code, "insufficient_aal", operation);
      assert.match(answer.body.message, /verify/);
    }
    const socket = await RawClient.open(t, service.credentials.url, { apikey: service.credentials.anon_key });
    for (const [topic, config] of [
      ["realtime:open", {}],
      ["realtime:closed", { private: true }],
      ["realtime:rows", { postgres_changes: [{ event: "*", schema: "public", table: "agents" }] }],
    ] as const) {
      const reply = await socket.join(topic, config, token);
      assert.equal(reply["status"], "error", topic);
      assert.match(JSON.stringify(reply["response"]), /second factor/);
    }

    const raised = await verify(token, factor, 1);
    const rows = await callOk("GET /rest/v1/agents?select=name", raised.access_token);
    assert.deepEqual(rows, [{ name: "Ada" }]);
    const joined = await socket.join("realtime:open", {}, raised.access_token, "2");
    assert.equal(joined["status"], "ok", JSON.stringify(joined));
  });

  test("is enough to read the user, to verify a factor and to sign out of its own session", async () => {
    const { email, token: owner } = await signUpWithFactor();
    for (const [scope, status] of [
      ["local", 204],
      ["others", 403],
      ["global", 204],
    ] as const) {
      const { access_token: token } = await signIn(email);
      assert.equal((await callOk("GET /auth/v1/user", token)).email, email);
      assert.equal((await call(`POST /auth/v1/logout?scope=${scope}`, token)).status, status, scope);
      assert.equal((await call("GET /auth/v1/user", token)).status, status === 204 ? 401 : 200, scope);
      assert.equal((await call("GET /auth/v1/user", owner)).status, 200, scope);
    }
  });

  test("changes neither password, address nor factors", async () => {
    const { email, factor } = await signUpWithFactor();
    const { access_token: token } = await signIn(email);
    for (const [operation, body] of [
      ["PUT /auth/v1/user", { password: "another password" }],
      ["PUT /auth/v1/user", { email: "mallory@example.com" }],
      ["POST /auth/v1/factors", { factor_type: "totp" }],
      [`DELETE /auth/v1/factors/${factor.id}`],
    ] as const) {
      const answer = await call(operation, token, body);
      assert.deepEqual([answer.status, answer.body.error_code], [401, "insufficient_aal"], operation);
    }
  });

  test("loses its rows and channels at once when the second factor is removed from its session", async (t) => {
    const { token, factor } = await signUpWithFactor();
    const second = await enrol(token);
    const raised = await verify(token, second);
    await callOk("GET /rest/v1/agents", raised.access_token);
    const socket = await RawClient.open(t, service.credentials.url, { apikey: service.credentials.anon_key });
    const changes = { postgres_changes: [{ event: "*", schema: "public", table: "agents" }] };
    assert.equal((await socket.join("realtime:rows", changes, raised.access_token))["status"], "ok");
    await callOk(`DELETE /auth/v1/factors/${second.id}`, raised.access_token);
    assert.equal((await call("GET /rest/v1/agents", raised.access_token)).status, 403);
    assert.match(JSON.stringify(await socket.nextEvent("phx_error")), /second factor/);
    await callOk(`DELETE /auth/v1/factors/${factor.id}`, (await verify(raised.access_token, factor, 1)).access_token);
    await callOk("GET /rest/v1/agents", raised.access_token);
  });
});

describe("a stolen token, later than the proof of the owner", () => {
  const OWN_CALLS: readonly (readonly [string, unknown?])[] = [
    ["POST /functions/v1/api-keys", { action: "create", name: "of a thief" }],
    ["POST /functions/v1/api-keys", { action: "revoke", id: "00000000-0000-4000-8000-000000000000" }],
    ["POST /functions/v1/request-signing", { action: "regenerate_secret" }],
    ["POST /functions/v1/request-signing", { action: "delete_secret" }],
    ["GET /account-export"],
    ["DELETE /auth/v1/user"],
  ];
  const age = (userId: string, age: string) =>
    database.owner.query("update auth.sessions set proven_at = now() - $2::interval where user_id = $1", [userId, age]);

  test("makes, exports and deletes nothing, until the session is proven with the password", async () => {
    const { access_token: token, user } = await signUp();
    await age(user.id, "11 minutes");
    for (const [operation, body] of OWN_CALLS) {
      const answer = await call(operation, token, body);
      assert.deepEqual([answer.status, answer.body.error_code], [403, "reauthentication_needed"], operation);
      assert.match(answer.body.message, /PUT \/auth\/v1\/user/);
    }
    const batch = { operations: [{ method: "POST", path: "/../../functions/v1/api-keys", body: OWN_CALLS[0]?.[1] }] };
    assert.ok((await call("POST /functions/v1/batch", token, batch)).status >= 400);
    assert.equal((await call("POST /rest/v1/api_keys", token, { name: "of a thief" })).status, 403);
    assert.equal((await call("PUT /auth/v1/user", token, { current_password: "guessed" })).status, 400);
    assert.equal((await call("PUT /auth/v1/user", token, { nonce: "000000" })).status, 422);
    assert.equal((await call("POST /functions/v1/api-keys", token, OWN_CALLS[0]?.[1])).status, 403);

    await callOk("PUT /auth/v1/user", token, { current_password: PASSWORD });
    const { key } = await callOk("POST /functions/v1/api-keys", token, OWN_CALLS[0]?.[1]);
    await callOk("GET /account-export", token);
    // A key cannot prove anything, however recent the proof of the owner is.
    for (const [operation, body] of OWN_CALLS) {
      const answer = await call(operation, key, body);
      assert.deepEqual([answer.status, answer.body.code], [403, "API_KEY_NOT_ALLOWED"], operation);
    }
    await age(user.id, "2 days");
    const { service_role_key: serviceKey } = service.credentials;
    await callOk("POST /functions/v1/request-signing", serviceKey, { action: "regenerate_secret", user_id: user.id });
    for (const [operation, body] of [
      ["PUT /auth/v1/user", { password: "of a thief" }],
      ["PUT /auth/v1/user", { email: "thief@example.com" }],
      ["POST /auth/v1/factors", { factor_type: "totp" }],
    ] as const) {
      const answer = await call(operation, token, body);
      assert.deepEqual([answer.status, answer.body.code], [400, "reauthentication_needed"], operation);
    }
    const { rows } = await database.owner.query(
      "select action from auth.audit_log_entries where user_id = $1 order by id",
      [user.id],
    );
    assert.deepEqual(
      rows.map(({ action }) => action),
      ["api_key_created", "account_exported", "signing_secret_created"],
    );
  });
});
