import assert from "node:assert/strict";
import { hash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { RequestListener } from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import { type Database, RUN_STREAM_EVENT_TYPES } from "@swarmbase/sdk";
import { TOTP } from "otpauth";
import { Agent, fetch as fetchWith } from "undici";
import { z } from "zod";
import { createTestDatabase } from "../../../server/test/support/database.ts";
import { startServiceHere } from "../../../server/test/support/service-here.ts";
import { type CeremonyOptions, SoftwareAuthenticator } from "../../../server/test/support/software-authenticator.ts";
import { createTemporaryFolder } from "../../../server/test/support/temporary-folder.ts";
import { until } from "../../../server/test/support/until.ts";
import { type Answer, type CallOptions, DescribedService } from "./support/described-service.ts";
import { sendRequest } from "./support/send-request.ts";
import { runTypedQueries } from "./support/typed-queries.ts";

const PASSWORD = "correct horse battery";
const NOBODY = "00000000-0000-4000-8000-000000000000";
const MANY = "100000";

const closers: (() => Promise<void>)[] = [];
let api: DescribedService;
let client: SupabaseClient<Database>;
let ada: { readonly id: string; readonly email: string; readonly token: string; readonly refresh: string };
let receiver: { readonly url: string; status: number };

const text = ({ body }: Answer, name: string): string => {
  const value = body[name];
  return typeof value === "string" ? value : assert.fail(`${name} is no text`);
};
const asAda = (body: unknown, further: CallOptions = {}): CallOptions => ({ token: ada.token, body, ...further });
/** The answer has warnings then. */
const strangely = (body: object, further: CallOptions = {}): CallOptions =>
  asAda({ ...body, surely_unknown: 1 }, further);
const asService = (options: CallOptions = {}): CallOptions => ({ token: api.credentials.service_role_key, ...options });
const newEmail = (): string => `${randomUUID()}@example.com`;

describe("answers of a running service, against its own document", () => {
  before(async () => {
    const cleanup = { after: (close: () => Promise<void>) => void closers.unshift(close) };
    const dataDir = await createTemporaryFolder(cleanup, "swarmbase-reference-");
    const { adminUrl: DATABASE_URL, masterKey: MASTER_KEY } = await createTestDatabase(cleanup);
    const env = {
      DATABASE_URL,
      MASTER_KEY,
      LIMIT_API: MANY,
      LIMIT_TOOLS: "14",
      OAUTH_DYNAMIC_REGISTRATION_ENABLED: "true",
      OAUTH_MAX_DYNAMIC_CLIENTS: "1",
      PROVIDER_A_KIND: "simulated",
      // A key is tested at an address where nothing listens.
      PROVIDER_DETECTION: "true",
      OLLAMA_HOST: "127.0.0.1:1",
      OPENAI_BASE_URL: "http://127.0.0.1:1",
      AUTH_MAIL_INTERVAL_SECONDS: "0",
    };
    const service = await startServiceHere(cleanup, { dataDir, env });
    api = await DescribedService.open(service.credentials);
    receiver = await startReceiver(cleanup, dataDir);
    const email = newEmail();
    const session = await api.call("POST /auth/v1/signup", 200, { body: { email, password: PASSWORD } });
    const { id } = session.body["user"] as { id: string };
    ada = { id, email, token: text(session, "access_token"), refresh: text(session, "refresh_token") };
    client = openClient(cleanup);
  });
  after(async () => {
    for (const close of closers) await close();
  });

  test("of the service itself", async () => {
    await api.call("GET /health", 200, { token: null });
    await api.call("GET /ready", 200, { token: null });
    await api.call("GET /.well-known/tool-calls.json", 200, { token: null });
    await api.call("GET /.well-known/oauth-protected-resource", 200, { token: null });
    await api.call("GET /openapi.json", 200, { token: null });
    await api.call("GET /reference/{file}", 200, { token: null, params: { file: "reference.css" } });
    await api.call("GET /reference/{file}", 404, {
      token: null,
      params: { file: "../main.ts".replaceAll("/", "%2F") },
    });
    const page = await api.call("GET /reference", 200, { token: null });
    const { headers } = page;
    assert.match(
      String(headers["content-security-policy"]),
      /^default-src 'none'; script-src 'self'; style-src 'self';/,
    );
    assert.doesNotMatch(String(headers["content-security-policy"]), /unsafe|https?:/);
    assert.equal(headers["x-content-type-options"], "nosniff");
    const script = await api.call("GET /reference/{file}", 200, { token: null, params: { file: "reference.js" } });
    assert.match(String(script.headers["content-type"]), /^text\/javascript/);
    const again = await ask("/reference", { "if-none-match": String(headers.etag), "accept-encoding": "gzip" });
    assert.deepEqual([again.status, again.body.length], [304, 0]);
    const packed = await ask("/reference", { "accept-encoding": "br, gzip" });
    assert.equal(packed.headers["content-encoding"], "gzip");
    assert.ok(packed.body.length < page.text.length / 4, `${packed.body.length} of ${page.text.length} bytes`);
  });

  test("of the functions about webhooks", async () => {
    const events = ["agent.created" as const];
    const { data: webhook } = await client
      .from("webhooks")
      .insert({ name: "Hook", url: receiver.url, events, retry_count: 2 })
      .select()
      .single()
      .throwOnError();
    const ids = { webhook_id: webhook.id };
    const sample = { ...ids, event_type: "message.created" };
    await api.call("POST /functions/v1/test-webhook", 200, strangely(sample));
    await api.call("POST /functions/v1/test-webhook", 400, asAda({ ...ids, event_type: "nothing" }));
    await api.call("POST /functions/v1/test-webhook", 400, asAda({}));
    await api.call("POST /functions/v1/test-webhook", 404, asAda({ ...sample, webhook_id: NOBODY }));
    await api.call("POST /functions/v1/test-webhook", 401, { body: sample });
    receiver.status = 500;
    const failed = await api.call("POST /functions/v1/test-webhook", 200, asAda(sample));
    assert.equal(failed.body["success"], false);
    const retry = { action: "retry", delivery_id: text(failed, "delivery_id") };
    await api.call("POST /functions/v1/webhook-dispatcher", 502, strangely(retry));
    receiver.status = 200;
    await api.call("POST /functions/v1/webhook-dispatcher", 200, strangely(retry));
    await api.call("POST /functions/v1/webhook-dispatcher", 400, asAda(retry));
    await api.call("POST /functions/v1/webhook-dispatcher", 404, strangely({ ...retry, delivery_id: NOBODY }));
    const { data: delivery } = await client
      .from("webhook_deliveries")
      .select("payload")
      .eq("id", retry.delivery_id)
      .single()
      .throwOnError();
    const replay = { action: "replay", event_id: delivery.payload.id };
    receiver.status = 500;
    await api.call("POST /functions/v1/webhook-dispatcher", 200, strangely(replay));
    // Tests and their replays are not retried.
    await client.from("agents").insert({ name: "Sent again" }).throwOnError();
    const findRetrying = async () => {
      const waiting = client.from("webhook_deliveries").select("id").eq("webhook_id", webhook.id);
      return (await waiting.eq("status", "retrying").throwOnError()).data[0];
    };
    await until(async () => (await findRetrying()) !== undefined, "the delivery waits for its next attempt");
    const sendNow = { action: "send_now", delivery_id: (await findRetrying())?.id ?? "" };
    await api.call("POST /functions/v1/webhook-dispatcher", 502, strangely(sendNow));
    receiver.status = 200;
    await api.call("POST /functions/v1/webhook-dispatcher", 200, strangely(sendNow));
    await api.call("POST /functions/v1/webhook-dispatcher", 400, asAda(sendNow));
    const since = { action: "recover_since", ...ids, since: new Date(0).toISOString() };
    const recovery = await api.call("POST /functions/v1/webhook-dispatcher", 202, strangely(since));
    const query = { action: "recovery", recovery_id: text(recovery, "id") };
    await api.call("POST /functions/v1/webhook-dispatcher", 200, strangely(query));
    await api.call("POST /functions/v1/webhook-dispatcher", 404, asAda({ ...query, recovery_id: NOBODY }));
    const regenerate = { action: "regenerate_secret", ...ids };
    await api.call("POST /functions/v1/webhooks", 200, strangely(regenerate));
    await api.call("POST /functions/v1/webhooks", 200, asAda({ ...regenerate, grace_period_seconds: 0 }));
    await api.call("POST /functions/v1/webhooks", 400, strangely({ ...regenerate, grace_period_seconds: -1 }));
    await api.call("POST /functions/v1/webhooks", 200, strangely({ action: "revoke_previous_secrets", ...ids }));
    await api.call("POST /functions/v1/webhooks", 200, strangely({ action: "test_filter", filter: { type: "none" } }));
    const link = { action: "portal_link", user_id: ada.id };
    await api.call("POST /functions/v1/webhooks", 200, asService({ body: link }));
    await api.call("POST /functions/v1/webhooks", 403, asAda(link));
    await api.call("POST /functions/v1/webhooks", 404, asService({ body: { ...link, user_id: NOBODY } }));
    const eventCalls = "POST /functions/v1/events";
    const type = "app.order.paid";
    await addEventType({ name: type, users_may_emit: true });
    const emitted = { type, data: { order_id: "A-1017" }, user_id: ada.id };
    await api.call(eventCalls, 200, strangely({ action: "emit", events: [emitted] }));
    await api.call(eventCalls, 400, asAda({ action: "emit", events: [{ ...emitted, type: "app.missing" }] }));
    await api.call(eventCalls, 403, asAda({ action: "emit", events: [{ ...emitted, user_id: NOBODY }] }));
    const { data: feed } = await client
      .from("event_feeds")
      .insert({ name: "Feed", events: [type] })
      .select()
      .single()
      .throwOnError();
    const read = { action: "read", feed_id: feed.id, consumer: "test" };
    const { cursor } = (await api.call(eventCalls, 200, strangely(read))).body as { cursor: string };
    await api.call(eventCalls, 200, strangely({ action: "commit", feed_id: feed.id, consumer: "test", cursor }));
    await api.call(eventCalls, 404, asAda({ ...read, feed_id: NOBODY }));
    await client.from("webhooks").update({ is_active: false }).eq("id", webhook.id).throwOnError();
    await api.call("POST /functions/v1/test-webhook", 403, asAda(sample));
    const created = await api.call("POST /functions/v1/api-keys", 201, strangely({ action: "create", name: "n" }));
    const { id: keyId } = created.body["api_key"] as { id: string };
    await api.call("POST /functions/v1/api-keys", 200, strangely({ action: "revoke", id: keyId }));
    await api.call("POST /functions/v1/api-keys", 404, asAda({ action: "revoke", id: NOBODY }));
    await api.call("POST /functions/v1/api-keys", 400, asAda({ action: "create", name: "" }));
    await api.call("POST /functions/v1/request-signing", 400, asAda({ action: "regenerate_secret", user_id: 1 }));
    await api.call("POST /functions/v1/request-signing", 200, strangely({ action: "regenerate_secret" }));
    await api.call("POST /functions/v1/request-signing", 200, strangely({ action: "delete_secret" }));
    await api.call("POST /functions/v1/request-signing", 403, asAda({ action: "delete_secret", user_id: NOBODY }));
  });

  test("of the functions about agents, tools, invitations and batches", async () => {
    const [swarm, empty] = await addSwarms();
    const invitations = "POST /functions/v1/invitations";
    const guest = { email: "invited@example.com", password: "correct horse battery" };
    const guestToken = text(await api.call("POST /auth/v1/signup", 200, { body: guest }), "access_token");
    for (const answer of ["decline", "accept"]) {
      const { data: invited } = await client
        .from("swarm_members")
        .insert({ swarm_id: swarm, email: guest.email })
        .select("id")
        .single()
        .throwOnError();
      const made = await api.call(invitations, 200, asAda({ action: "create_link", invitation_id: invited.id }));
      const secret = text(made, "secret");
      await api.call(invitations, 200, { body: { action: "find", secret }, token: guestToken });
      await api.call(invitations, 404, asAda({ action: answer, secret }));
      await api.call(invitations, 200, { body: { action: answer, secret }, token: guestToken });
    }
    await api.call(invitations, 400, asAda({ action: "create_link", invitation_id: "x" }));
    await answerGrants(guestToken);
    await runSchedule();
    await callTrigger();
    const keys = "POST /functions/v1/provider-keys";
    const tested = await api.call(keys, 200, asAda({ api_key: "sk-1" }));
    assert.equal(tested.body["is_stored"], false);
    await api.call(keys, 400, asAda({ api_key: "sk-1", vendor: "nobody" }));
    await api.call(keys, 401, asService({ body: { api_key: "sk-1" } }));
    const name = "POST /functions/v1/agent-respond";
    const limited = await api.call(name, 200, strangely({ swarm_id: swarm, message: "Hello" }));
    assert.equal(limited.headers["x-ratelimit-limit"], MANY);
    await readStreams(swarm);
    await api.call(name, 502, strangely({ swarm_id: swarm, message: "/fail 5xx" }));
    await api.call(name, 400, asAda({ swarm_id: empty, message: "Hello" }));
    await api.call(name, 400, asAda({ swarm_id: swarm, message: "" }));
    await api.call(name, 404, asAda({ swarm_id: NOBODY, message: "Hello" }));
    await api.call(name, 404, asAda({ agent_id: NOBODY, message: "Hello" }));
    await api.call(name, 400, asAda({ agent_id: NOBODY, swarm_id: swarm, message: "Hello" }));
    const { data: agent } = await client.from("agents").insert({ name: "Solo" }).select("id").single().throwOnError();
    await api.call(name, 200, strangely({ agent_id: agent.id, message: "Hello" }));
    await api.call(name, 404, asAda({ action: "cancel", run_id: NOBODY }));
    const key = { headers: { "idempotency-key": randomUUID() } };
    await api.call(name, 200, asAda({ swarm_id: swarm, message: "Once" }, key));
    await api.call(name, 422, asAda({ swarm_id: swarm, message: "Twice" }, key));
    // The last one: what is said next would be read by the run that goes on.
    await api.call(name, 202, strangely({ swarm_id: swarm, message: "Hello", background: true }));
    await api.call(name, 415, asAda("Hello", { headers: { "content-type": "application/xml" } }));

    const tool = await findCalculator();
    await runTypedQueries(client, tool.id);
    const call = "POST /functions/v1/tools";
    await api.call(call, 200, strangely({ action: "test", tool_id: tool.id, input: { expression: "6 * 7" } }));
    await api.call(call, 404, asAda({ action: "test", tool_id: NOBODY }));
    const server = { url: new URL("/mcp", receiver.url).href };
    await api.call(call, 200, strangely({ action: "list", ...server }));
    await api.call(call, 201, strangely({ action: "import", ...server, names: ["hello", "nothing"] }));
    await api.call(call, 400, asAda({ action: "list" }));
    await api.call(call, 502, asAda({ action: "list", url: new URL("/none", receiver.url).href }));
    const guarded = { url: new URL("/guarded", receiver.url).href };
    const started = await api.call(call, 200, asAda({ action: "authorize", ...guarded }));
    const { state } = started.body as { readonly state: string };
    await api.call(call, 200, asAda({ action: "finish_authorization", state, code: "any" }));
    await api.call(call, 200, asAda({ action: "list_authorizations" }));
    await api.call(call, 200, asAda({ action: "revoke_authorization", ...guarded }));
    await api.call(call, 429, asAda({ action: "list", ...server }));

    const operations = [
      { method: "POST", path: "/agents", body: { name: "Batched" } },
      { method: "GET", path: "/agents?select=name&name=eq.Batched" },
    ];
    await api.call("POST /functions/v1/batch", 200, strangely({ operations }));
    await api.call("POST /functions/v1/batch", 400, asAda({ operations: [] }));
  });

  test("of accounts and second factors", async () => {
    const [email, wrong] = [newEmail(), { password: "wrong" }];
    await api.call("POST /auth/v1/signup", 422, { body: { email: ada.email, password: PASSWORD } });
    await api.call("POST /auth/v1/signup", 422, { body: { email, password: "123" } });
    await api.call("POST /auth/v1/signup", 400, { body: "{" });
    await api.call("POST /auth/v1/signup", 401, { token: null, body: {} });
    const grant = "POST /auth/v1/token";
    const entry = { query: "?grant_type=password", body: { email: ada.email, password: PASSWORD } };
    const session = await api.call(grant, 200, entry);
    await api.call(grant, 400, { ...entry, body: { email: ada.email, ...wrong } });
    const refresh = { query: "?grant_type=refresh_token", body: { refresh_token: text(session, "refresh_token") } };
    await api.call(grant, 200, refresh);
    await api.call(grant, 400, { ...refresh, body: { refresh_token: "nothing" } });
    await api.call("GET /auth/v1/user", 200, { token: ada.token });
    await api.call("GET /auth/v1/user", 401, { token: `${ada.token}x` });
    await api.call("PUT /auth/v1/user", 200, asAda({ data: { full_name: "Ada" } }));
    await api.call("PUT /auth/v1/user", 422, asAda({ password: PASSWORD }));
    await api.call("GET /auth/v1/settings", 200);
    await api.call("GET /auth/v1/health", 200, { token: null });
    await api.call("GET /auth/v1/.well-known/jwks.json", 200, { token: null });
    await api.call("GET /auth/v1/.well-known/openid-configuration", 200, { token: null });

    const token = text(session, "access_token");
    const enrolled = await api.call("POST /auth/v1/factors", 200, {
      token,
      body: { factor_type: "totp", friendly_name: "Phone" },
    });
    await api.call("POST /auth/v1/factors", 400, { token, body: { factor_type: "fax" } });
    const params = { id: text(enrolled, "id") };
    const { secret } = enrolled.body["totp"] as { secret: string };
    const challenge = await api.call("POST /auth/v1/factors/{id}/challenge", 200, { token, params });
    await api.call("POST /auth/v1/factors/{id}/challenge", 404, { token, params: { id: NOBODY } });
    const verify = "POST /auth/v1/factors/{id}/verify";
    const shown = { challenge_id: text(challenge, "id"), code: new TOTP({ secret }).generate() };
    await api.call(verify, 422, { token, params, body: { ...shown, code: "abcdef" } });
    const raised = await api.call(verify, 200, { token, params, body: shown });
    await api.call("GET /auth/v1/admin/users/{id}/factors", 200, asService({ params: { id: ada.id } }));
    const gone = { params, token: text(raised, "access_token") };
    const recovery = "/auth/v1/factors/recovery-codes";
    await api.call(`GET ${recovery}`, 404, gone);
    await api.call(`POST ${recovery}`, 200, gone);
    await api.call(`DELETE ${recovery}`, 200, gone);
    await api.call(`POST ${recovery}`, 200, gone);
    await api.call(`POST ${recovery}`, 422, gone);
    await api.call(`GET ${recovery}`, 200, gone);
    const { codes } = (await api.call(`POST ${recovery}/regenerate`, 200, gone)).body as { codes: string[] };
    await api.call(`POST ${recovery}/verify`, 422, { ...gone, body: { code: "wrong" } });
    await api.call(`POST ${recovery}/verify`, 200, { ...gone, body: { code: codes[0] ?? "" } });
    await api.call("DELETE /auth/v1/factors/{id}", 200, gone);
    await api.call("DELETE /auth/v1/factors/{id}", 404, gone);
    const { sessions } = (await api.call("GET /auth/v1/sessions", 200, { token: gone.token })).body as {
      sessions: { id: string; is_current: boolean }[];
    };
    assert.ok(sessions.some((one) => one.is_current));
    await api.call("DELETE /auth/v1/sessions/{id}", 404, { token: gone.token, params: { id: NOBODY } });
    const { token: otherToken } = await signIn();
    const listed = await api.call("GET /auth/v1/sessions", 200, { token: otherToken });
    const other = (listed.body as { sessions: typeof sessions }).sessions.find((one) => one.is_current);
    await api.call("DELETE /auth/v1/sessions/{id}", 204, { token: gone.token, params: { id: other?.id ?? "" } });
    const leaving = await api.call("POST /auth/v1/signup", 200, { body: { email: newEmail(), password: PASSWORD } });
    await api.call("DELETE /auth/v1/user", 204, { token: text(leaving, "access_token") });
    await api.call("POST /auth/v1/logout", 400, { token: gone.token, query: "?scope=nobody" });
    await api.call("POST /auth/v1/logout", 204, { token: gone.token, query: "?scope=local" });
    await api.call("GET /auth/v1/user", 401, { token: gone.token });
  });

  test("of passkeys, and of a key as a second factor", async () => {
    const { token } = await signIn();
    const page = new URL(api.credentials.url).origin;
    const authenticator = new SoftwareAuthenticator(page);
    const begin = async (path: string) =>
      (await api.call(`POST /auth/v1/passkeys/${path}/options`, 200, { token })).body as {
        readonly challenge_id: string;
        readonly options: CeremonyOptions;
      };
    const registration = await begin("registration");
    const attestation = {
      challenge_id: registration.challenge_id,
      credential: authenticator.create(registration.options),
    };
    const verify = "POST /auth/v1/passkeys/registration/verify";
    const params = { id: text(await api.call(verify, 200, { token, body: attestation }), "id") };
    await api.call(verify, 400, { token, body: attestation });
    await api.call("GET /auth/v1/passkeys", 200, { token });
    const rename = "PATCH /auth/v1/passkeys/{id}";
    await api.call(rename, 200, { token, params, body: { friendly_name: "Laptop" } });
    await api.call(rename, 400, { token, params, body: { friendly_name: "" } });
    const { challenge_id, options } = await begin("authentication");
    const assertion = { challenge_id, credential: authenticator.get(options) };
    await api.call("POST /auth/v1/passkeys/authentication/verify", 200, { body: assertion });
    await api.call("POST /auth/v1/passkeys/authentication/verify", 400, { body: assertion });
    await api.call("GET /auth/v1/admin/users/{id}/passkeys", 200, asService({ params: { id: ada.id } }));
    const ofAda = asService({ params: { id: ada.id, passkeyId: params.id } });
    await api.call("DELETE /auth/v1/admin/users/{id}/passkeys/{passkeyId}", 204, ofAda);
    await api.call("DELETE /auth/v1/admin/users/{id}/passkeys/{passkeyId}", 404, ofAda);
    await api.call("DELETE /auth/v1/passkeys/{id}", 404, { token, params });
    const next = await begin("registration");
    const body = { challenge_id: next.challenge_id, credential: new SoftwareAuthenticator(page).create(next.options) };
    const own = { id: text(await api.call(verify, 200, { token, body }), "id") };
    await api.call("DELETE /auth/v1/passkeys/{id}", 204, { token, params: own });

    const factor = await api.call("POST /auth/v1/factors", 200, { token, body: { factor_type: "webauthn" } });
    const ofFactor = { token, params: { id: text(factor, "id") } };
    await api.call("POST /auth/v1/factors/{id}/challenge", 200, ofFactor);
    await api.call("DELETE /auth/v1/factors/{id}", 200, ofFactor);
  });

  test("of mails, and what an administrator does", async () => {
    const [guest, invited] = [newEmail(), newEmail()];
    await api.call("POST /auth/v1/otp", 200, { body: { email: guest } });
    await api.call("POST /auth/v1/otp", 400, { body: { email: "nobody" } });
    await api.call("POST /auth/v1/magiclink", 200, { body: { email: guest } });
    await api.call("POST /auth/v1/recover", 200, { body: { email: guest } });
    await api.call("POST /auth/v1/resend", 200, { body: { type: "signup", email: guest } });
    await api.call("POST /auth/v1/resend", 400, { body: { type: "sms", phone: "1" } });
    const users = "POST /auth/v1/admin/users";
    const made = await api.call(users, 200, asService({ body: { email: newEmail(), email_confirm: true } }));
    // The account of `guest` does not count: the service creates it when it sends the mail, after the response.
    await api.call(users, 200, asService({ body: { email: newEmail() } }));
    await api.call(users, 422, asService({ body: { email: ada.email } }));
    await api.call(users, 403, asAda({ email: newEmail() }));
    const params = { id: text(made, "id") };
    const list = await api.call("GET /auth/v1/admin/users", 200, asService({ query: "?per_page=2" }));
    assert.ok(Number(list.headers["x-total-count"]) > 2);
    await api.call("GET /auth/v1/admin/hooks", 200, asService());
    await api.call("GET /auth/v1/admin/users", 400, asService({ query: "?page=first" }));
    await api.call("GET /auth/v1/admin/users/{id}", 200, asService({ params }));
    await api.call("GET /auth/v1/admin/users/{id}", 404, asService({ params: { id: NOBODY } }));
    await api.call("PUT /auth/v1/admin/users/{id}", 200, asService({ params, body: { ban_duration: "1h" } }));
    await api.call("PUT /auth/v1/admin/users/{id}", 400, asService({ params, body: { ban_duration: "soon" } }));
    await api.call("POST /auth/v1/admin/users/{id}/logout", 204, asService({ params }));
    await api.call("DELETE /auth/v1/admin/users/{id}/factors/{factorId}", 404, {
      ...asService(),
      params: { ...params, factorId: NOBODY },
    });
    await api.call("DELETE /auth/v1/admin/users/{id}", 200, asService({ params, body: { should_soft_delete: true } }));
    await api.call("DELETE /auth/v1/admin/users/{id}", 200, asService({ params }));
    await api.call("DELETE /auth/v1/admin/users/{id}", 404, asService({ params }));
    await api.call("POST /auth/v1/invite", 200, asService({ body: { email: invited } }));
    await api.call("POST /auth/v1/invite", 422, asService({ body: { email: ada.email } }));

    const link = "POST /auth/v1/admin/generate_link";
    await api.call(link, 400, asService({ body: { type: "gift", email: ada.email } }));
    const makeLink = async (): Promise<string> =>
      text(await api.call(link, 200, asService({ body: { type: "magiclink", email: ada.email } })), "hashed_token");
    const entered = { type: "magiclink", token_hash: await makeLink() };
    await api.call("POST /auth/v1/verify", 200, { body: entered });
    await api.call("POST /auth/v1/verify", 403, { body: entered });
    const query = `?type=magiclink&token=${await makeLink()}`;
    const redirect = await api.call("GET /auth/v1/verify", 303, { token: null, query });
    assert.match(String(redirect.headers.location), /access_token=/);
    const { token } = await signIn();
    await api.call("GET /auth/v1/reauthenticate", 200, { token });
    await api.call("GET /auth/v1/reauthenticate", 401);
  });

  test("of sign-ins at identity providers, of which the service has none", async () => {
    const { token } = await signIn();
    const query = "?provider=google";
    await api.call("GET /auth/v1/authorize", 400, { token: null, query });
    for (const name of ["GET /auth/v1/callback", "POST /auth/v1/callback"]) {
      const { headers } = await api.call(name, 303, { token: null });
      assert.match(String(headers.location), /error_code=bad_oauth_state/);
    }
    await api.call("GET /auth/v1/user/identities/authorize", 400, { token, query });
    await api.call("DELETE /auth/v1/user/identities/{id}", 404, { token, params: { id: NOBODY } });
    const providers = "GET /auth/v1/admin/sign-in-providers";
    assert.deepEqual(JSON.parse((await api.call(providers, 200, asService())).text), { providers: [] });
    const check = "POST /auth/v1/admin/sign-in-providers/{name}/check";
    await api.call(check, 404, asService({ params: { name: "google" } }));
  });

  test("of clients of the authorization server", async () => {
    const metadata = { client_name: "App", redirect_uris: ["https://app.example.com/callback"] };
    const register = "POST /auth/v1/oauth/register";
    await api.call(register, 400, { token: null, body: {} });
    await api.call(register, 201, { token: null, body: metadata });
    await api.call(register, 429, { token: null, body: metadata });
    const all = "auth/v1/admin/oauth/clients";
    await api.call(`POST /${all}`, 400, asService({ body: { ...metadata, scope: "secrets" } }));
    const params = { id: text(await api.call(`POST /${all}`, 201, asService({ body: metadata })), "client_id") };
    await api.call(`GET /${all}`, 200, asService({ query: "?per_page=1" }));
    await api.call(`GET /${all}/{id}`, 200, asService({ params }));
    await api.call(`PUT /${all}/{id}`, 200, asService({ params, body: { scope: "read" } }));
    await api.call(`POST /${all}/{id}/regenerate_secret`, 200, asService({ params }));
    await api.call(`PUT /${all}/{id}`, 200, asService({ params, body: { token_endpoint_auth_method: "none" } }));
    await api.call(`POST /${all}/{id}/regenerate_secret`, 422, asService({ params }));
    await api.call(`DELETE /${all}/{id}`, 204, asService({ params }));
    await api.call(
      `GET /${all}/{id}`,
      404,
      asService({ params: { id: encodeURIComponent("https://a.example/c.json") } }),
    );
  });

  test("of programs that a person lets in", async () => {
    const redirect_uri = "https://program.example.com/callback";
    const created = asService({
      body: { client_name: "Program", redirect_uris: [redirect_uri], token_endpoint_auth_method: "none" },
    });
    const client_id = text(await api.call("POST /auth/v1/admin/oauth/clients", 201, created), "client_id");
    const code_verifier = randomUUID() + randomUUID();
    const query = new URLSearchParams({
      response_type: "code",
      client_id,
      redirect_uri,
      scope: "openid read",
      code_challenge: hash("sha256", code_verifier, "base64url"),
      code_challenge_method: "S256",
    });
    const authorize = "GET /auth/v1/oauth/authorize";
    await api.call(authorize, 400, { token: null });
    const begun = await api.call(authorize, 303, { token: null, query: `?${query.toString()}` });
    const id = new URL(String(begun.headers.location)).searchParams.get("authorization_id") ?? assert.fail();
    const { token } = await signIn();
    const asked = "GET /auth/v1/oauth/authorizations/{id}";
    await api.call(asked, 200, { token, params: { id } });
    await api.call(asked, 404, { token, params: { id: NOBODY } });
    const consent = "POST /auth/v1/oauth/authorizations/{id}/consent";
    await api.call(consent, 400, { token, params: { id }, body: { action: "perhaps" } });
    const answered = await api.call(consent, 200, { token, params: { id }, body: { action: "approve" } });
    const code = new URL(text(answered, "redirect_url")).searchParams.get("code");
    const grant = "POST /auth/v1/oauth/token";
    const redeemed = { grant_type: "authorization_code", client_id, redirect_uri, code, code_verifier };
    const tokens = await api.call(grant, 200, { token: null, body: redeemed });
    await api.call(grant, 400, { token: null, body: { ...redeemed, code: "another" } });
    await api.call(grant, 401, { token: null, body: { ...redeemed, client_secret: "none" } });
    for (const method of ["GET", "POST"]) {
      await api.call(`${method} /auth/v1/oauth/userinfo`, 200, { token: text(tokens, "access_token") });
      await api.call(`${method} /auth/v1/oauth/userinfo`, 401, { token: null });
    }
    await api.call("GET /auth/v1/user/oauth/grants", 200, { token });
    const revoke = "POST /auth/v1/oauth/revoke";
    await api.call(revoke, 400, { token: null, body: { client_id } });
    await api.call(revoke, 200, { token: null, body: { client_id, token: text(tokens, "refresh_token") } });
    const disconnect = "DELETE /auth/v1/user/oauth/grants";
    await api.call(disconnect, 204, { token, query: `?client_id=${client_id}` });
    await api.call(disconnect, 404, { token, query: `?client_id=${client_id}` });
    for (const path of [
      "auth/v1/.well-known/oauth-authorization-server",
      ".well-known/oauth-authorization-server/auth/v1",
    ])
      await api.call(`GET /${path}`, 200, { token: null });
    await api.call("GET /.well-known/openid-configuration/auth/v1", 200, { token: null });
  });

  test("of broadcasts without a socket", async () => {
    const messages = [{ topic: "room", event: "typing", payload: { who: "Ada" } }];
    await api.call("POST /realtime/v1/api/broadcast", 202, asAda({ messages }));
    await api.call("POST /realtime/v1/api/broadcast", 422, asAda({ messages: "all" }));
    const name = "POST /realtime/v1/api/broadcast/{topic}/events/{event}";
    const params = { topic: "room", event: "typing" };
    await api.call(name, 202, asAda({ who: "Ada" }, { params }));
    await api.call(name, 422, asAda("{", { params }));
  });

  test("of what is not offered, each with its status and code", async () => {
    const { token } = await signIn();
    for (const { method, path, status, code } of api.notOffered) {
      const isAdmin = path.includes("/admin/");
      const { service_role_key: serviceKey, anon_key: anonKey, url } = api.credentials;
      const answer = await sendRequest(new URL(path.replaceAll(/\{\w+\}/g, NOBODY), url), {
        ca: api.ca,
        method,
        headers: { apikey: anonKey, authorization: `Bearer ${isAdmin ? serviceKey : token}` },
      });
      assert.equal(answer.status, status, `${method} ${path}`);
      assert.equal((JSON.parse(answer.text) as { error_code: string }).error_code, code, `${method} ${path}`);
    }
  });

  test("were seen of every operation, good and bad of every function", () => {
    // Tables have their own tests.
    const unseen = api.operations.filter((name) => !api.seen.has(name) && !name.includes(" /rest/v1"));
    assert.deepEqual(unseen, ["GET /realtime/v1/websocket"]);
    assert.deepEqual(
      api.actions.filter((action) => !api.seenActions.has(action)),
      [],
    );
    // Simulated models do not reason, no node is lost, and all messages fit into the context.
    const unseenEvents = RUN_STREAM_EVENT_TYPES.filter((type) => !api.seenEvents.has(type));
    assert.deepEqual(unseenEvents, ["turn.restarted", "context.shortened", "reasoning.delta"]);
    for (const [name, statuses] of api.seen) {
      if (!name.includes("/functions/v1/")) continue;
      const seen = [...statuses];
      assert.ok(seen.some((status) => status < 300) && seen.some((status) => status >= 400), name);
    }
  });
});

/** The document has only what users may do. */
async function addEventType(row: object): Promise<void> {
  const { service_role_key: key, url } = api.credentials;
  const headers = { apikey: key, authorization: `Bearer ${key}`, "content-type": "application/json" };
  const body = JSON.stringify(row);
  const answer = await sendRequest(new URL("/rest/v1/event_types", url), { ca: api.ca, method: "POST", headers, body });
  assert.equal(answer.status, 201, answer.text);
}

async function answerGrants(token: string): Promise<void> {
  const grants = "POST /functions/v1/agent-grants";
  const insert = { name: "Granted" };
  const { data: agent } = await client.from("agents").insert(insert).select("id").single().throwOnError();
  const guest = JSON.parse((await api.call("GET /auth/v1/user", 200, { token })).text) as { readonly id: string };
  const { data: grant } = await client
    .from("agent_grants")
    .insert({ agent_id: agent.id, audience: "user", user_id: guest.id })
    .select("id")
    .single()
    .throwOnError();
  for (const action of ["accept", "decline"]) {
    await api.call(grants, 404, asAda({ action, grant_id: grant.id }));
    await api.call(grants, 200, { body: { action, grant_id: grant.id }, token });
  }
  await client.from("agents").delete().eq("id", agent.id).throwOnError();
}

async function runSchedule(): Promise<void> {
  const schedules = "POST /functions/v1/schedules";
  const { data: agent } = await client.from("agents").insert({ name: "Early" }).select("id").single().throwOnError();
  const row = { name: "Morning", agent_id: agent.id, message: "Hello", cron: "0 9 * * *", enabled: false };
  const { data: schedule } = await client.from("schedules").insert(row).select("id").single().throwOnError();
  const started = await api.call(schedules, 200, asAda({ action: "run_now", schedule_id: schedule.id }));
  await api.call(schedules, 400, asAda({ action: "run" }));
  await api.call(schedules, 404, asAda({ action: "run_now", schedule_id: NOBODY }));
  await api.call(schedules, 401, { body: { action: "run_now", schedule_id: schedule.id } });
  await client.from("swarms").delete().eq("id", text(started, "swarm_id")).throwOnError();
  await client.from("agents").delete().eq("id", agent.id).throwOnError();
}

async function callTrigger(): Promise<void> {
  const triggers = "POST /functions/v1/triggers";
  const { data: agent } = await client.from("agents").insert({ name: "Called" }).select("id").single().throwOnError();
  const row = { name: "Orders", agent_id: agent.id, message: "Hello", verification: "bearer" as const };
  const { data: trigger } = await client.from("triggers").insert(row).select("id, user_id").single().throwOnError();
  const made = await api.call(triggers, 200, asAda({ action: "set_secret", trigger_id: trigger.id }));
  await api.call(triggers, 200, asAda({ action: "set_secret", trigger_id: trigger.id, secret: text(made, "secret") }));
  const address = new URL(`/triggers/v1/${trigger.id}`, api.credentials.url);
  const headers = { authorization: `Bearer ${text(made, "secret")}`, "content-type": "application/json" };
  const accepted = await sendRequest(address, { ca: api.ca, method: "POST", headers, body: "{}" });
  const { call_id } = JSON.parse(accepted.text) as { readonly call_id: string };
  const started = await api.call(triggers, 200, asAda({ action: "replay", call_id }));
  await api.call(triggers, 400, asAda({ action: "run" }));
  await api.call(triggers, 404, asAda({ action: "replay", call_id: NOBODY }));
  await api.call(triggers, 401, { body: { action: "replay", call_id } });
  await client.from("swarms").delete().eq("id", text(started, "swarm_id")).throwOnError();
  await client.from("agents").delete().eq("id", agent.id).throwOnError();
}

/** Streams that have every event which simulated models can cause. */
async function readStreams(swarmId: string): Promise<void> {
  const name = "POST /functions/v1/agent-respond";
  const stream = (message: string): Promise<Answer> =>
    api.call(name, 200, strangely({ swarm_id: swarmId, message, stream: true }));
  await stream("Hello");
  // Simulated models do not know patterns, so both answers are rejected.
  const response_schema = { type: "object", properties: { a: { type: "string", pattern: "^x$" } }, required: ["a"] };
  await api.call(name, 200, strangely({ swarm_id: swarmId, message: "Hello", stream: true, response_schema }));
  await stream("/fail 5xx");
  const { data: second } = await client.from("agents").insert({ name: "Bob" }).select("id").single().throwOnError();
  await client.from("swarm_agents").insert({ swarm_id: swarmId, agent_id: second.id }).throwOnError();
  await stream("/fail 5xx Bob");
  const tool = await findCalculator();
  await client.from("agent_tools").insert({ agent_id: second.id, tool_id: tool.id }).throwOnError();
  await stream('@Bob\n/tool calculator {"expression":"6 * 7"}\n/tool calculator {"expression":"6 *"}');

  const { data: guarded } = await client
    .from("tools")
    .insert({
      name: "order",
      description: "Orders",
      kind: "http",
      config: { method: "POST", url: "https://example.com/orders" },
      requires_approval: true,
    })
    .select("id")
    .single()
    .throwOnError();
  await client.from("agent_tools").insert({ agent_id: second.id, tool_id: guarded.id }).throwOnError();
  const call = { swarm_id: swarmId, message: "@Bob\n/tool order {}" };
  const waiting = await api.call(name, 202, asAda(call));
  assert.equal(waiting.body["status"], "requires_action");
  const runId = text(waiting, "run_id");
  await api.call(name, 200, asAda({ action: "cancel", run_id: runId }));
  await api.call(name, 200, asAda({ action: "attach", run_id: runId }));

  const client_tools = [{ name: "locate", description: "Returns the position of the user." }];
  const forClient = await api.call(
    name,
    202,
    asAda({ swarm_id: swarmId, message: "@Bob\n/tool locate {}", client_tools }),
  );
  const [waitingCall] = forClient.body["pending_client_calls"] as { tool_execution_id: string }[];
  const results = [{ tool_execution_id: waitingCall?.tool_execution_id, output: { city: "Delft" } }];
  const submit = { action: "submit_tool_results", run_id: text(forClient, "run_id"), results };
  await api.call(name, 200, asAda(submit));
  await api.call(name, 409, asAda(submit));
  await api.call(name, 200, asAda({ action: "attach", run_id: text(forClient, "run_id") }));

  const { data: event } = await client.from("tools").select("id").eq("name", "wait_for_event").single().throwOnError();
  await client.from("agent_tools").insert({ agent_id: second.id, tool_id: event.id }).throwOnError();
  const message = '@Bob\n/tool wait_for_event {"name": "report.ready", "seconds": 3600}';
  const asleep = await api.call(name, 202, asAda({ swarm_id: swarmId, message }));
  assert.equal(asleep.body["status"], "waiting");
  const signal = { action: "signal", run_id: text(asleep, "run_id"), name: "report.ready", data: { pages: 12 } };
  await api.call(name, 200, asAda(signal));
  await until(async () => (await api.call(name, 409, asAda(signal)).catch(() => null)) !== null, "the run has ended");
  await api.call(name, 200, asAda({ action: "attach", run_id: signal.run_id, stream: true }));

  const busy = await api.call(name, 202, asAda({ swarm_id: swarmId, message: "/sleep 60000", background: true }));
  const queued = await api.call(name, 202, asAda({ swarm_id: swarmId, message: "Hello", background: true }));
  for (const run of [queued, busy]) {
    const ids = { run_id: text(run, "run_id") };
    await api.call(name, 200, asAda({ action: "cancel", ...ids }));
    await api.call(name, 200, asAda({ action: "attach", ...ids }));
  }
  await client.from("agents").delete().eq("id", second.id).throwOnError();
}

async function findCalculator(): Promise<{ readonly id: string }> {
  const { data } = await client.from("tools").select("id").eq("name", "calculator").single().throwOnError();
  return data;
}

async function signIn(): Promise<{ readonly token: string }> {
  const session = await api.call("POST /auth/v1/token", 200, {
    query: "?grant_type=password",
    body: { email: ada.email, password: PASSWORD },
  });
  return { token: text(session, "access_token") };
}

async function addSwarms(): Promise<[string, string]> {
  const { data: agent } = await client.from("agents").insert({ name: "Ann" }).select("id").single().throwOnError();
  const { data: swarms } = await client
    .from("swarms")
    .insert([{ name: "Full" }, { name: "Empty" }])
    .select("id")
    .throwOnError();
  const [full, empty] = swarms.map(({ id }) => id);
  assert.ok(full !== undefined && empty !== undefined);
  await client.from("swarm_agents").insert({ swarm_id: full, agent_id: agent.id }).throwOnError();
  return [full, empty];
}

function openClient(cleanup: { after(close: () => Promise<void>): void }): SupabaseClient<Database> {
  const dispatcher = new Agent({ connect: { ca: api.ca } });
  cleanup.after(() => dispatcher.close());
  const viaAuthority = ((url: string, init: object) =>
    fetchWith(url, { ...init, dispatcher })) as unknown as typeof fetch;
  const { url, anon_key: anonKey } = api.credentials;
  return createClient<Database>(url, anonKey, {
    global: { fetch: viaAuthority, headers: { Authorization: `Bearer ${ada.token}` } },
    auth: { persistSession: false, autoRefreshToken: false },
  });
}

/** What a server with OAuth says at each path; whoever asks for tokens gets them. */
function describeAuthorization(origin: string): Readonly<Record<string, object>> {
  return {
    "/.well-known/oauth-protected-resource/guarded": { resource: `${origin}/guarded`, authorization_servers: [origin] },
    "/.well-known/oauth-authorization-server": {
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      registration_endpoint: `${origin}/register`,
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
    },
    "/register": { client_id: "one", redirect_uris: [`${origin}/callback`] },
    "/token": { access_token: "two", token_type: "Bearer" },
  };
}

/** Webhooks at one path, an MCP server at another, both with the certificate that the service made for this machine. */
async function startReceiver(
  cleanup: { after(close: () => Promise<void>): void },
  dataDir: string,
): Promise<{ readonly url: string; status: number }> {
  const pem = await readFile(join(dataDir, "tls", "localhost.pem"), "utf8");
  const state = { url: "", status: 200 };
  const mcp = toNodeHandler(
    createMcpHandler(() => {
      const server = new McpServer({ name: "test", version: "1" });
      server.registerTool("hello", { description: "Hello", inputSchema: z.object({}) }, async () => ({ content: [] }));
      return server;
    }),
  ) as RequestListener;
  const server = https.createServer({ key: pem, cert: pem }, (request, response) => {
    const document = describeAuthorization(new URL(state.url).origin)[request.url ?? ""];
    if (request.url === "/mcp") mcp(request, response);
    else if (document !== undefined)
      request
        .resume()
        .on("end", () => response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(document)));
    else request.resume().on("end", () => response.writeHead(request.url === "/hook" ? state.status : 404).end("ok"));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  cleanup.after(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  state.url = `https://localhost:${(server.address() as AddressInfo).port}/hook`;
  return state;
}

interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
}

function ask(path: string, headers: Readonly<Record<string, string>>): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    https
      .get(new URL(path, api.credentials.url), { agent: false, ca: api.ca, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
        );
      })
      .on("error", reject);
  });
}
