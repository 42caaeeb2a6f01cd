import assert from "node:assert/strict";
import { createHash, randomUUID } from "node:crypto";
import { describe, it } from "node:test";
import { migrate } from "../../../src/db/index.ts";
import { EXTENSION_SCHEMAS } from "../../access/extension-access.ts";
import { silentObserver } from "../../support/silent-observer.ts";
import { rejection } from "../support/rejection.ts";
import { PASSWORD, signUp } from "../support/accounts.ts";
import { follow, readMail } from "../one-time-mailbox.ts";
import { APP, openSignInStage } from "./sign-in-stage.ts";

/** What a person who signs in with the address of a prepared account finds of each table that refers to accounts. */
const TABLES: Readonly<Record<string, "emptied" | "switched off" | "kept">> = {
  "auth.sessions.user_id": "emptied",
  "public.api_keys.user_id": "emptied",
  "auth.oauth_sessions.user_id": "emptied",
  "auth.oauth_consents.user_id": "emptied",
  "auth.oauth_authorizations.user_id": "emptied",
  "auth.mfa_factors.user_id": "emptied",
  "auth.webauthn_credentials.user_id": "emptied",
  "auth.webauthn_challenges.user_id": "emptied",
  "auth.identities.user_id": "emptied",
  "auth.flow_states.user_id": "emptied",
  "auth.one_time_tokens.user_id": "emptied",
  "private.request_signing_secrets.user_id": "emptied",
  "private.tool_authorizations.owner_id": "emptied",
  "public.event_feeds.user_id": "emptied",
  "public.webhooks.user_id": "switched off",
  "public.schedules.user_id": "switched off",
  "public.triggers.user_id": "switched off",
  "public.agent_grants.user_id": "switched off",
  // Ordinary rows of the account, which the person sees, and which give nobody access to it.
  "public.profiles.id": "kept",
  "public.user_settings.user_id": "kept",
  "public.agents.user_id": "kept",
  "private.agent_counters.user_id": "kept",
  "private.webhook_counters.user_id": "kept",
  "public.tools.owner_id": "kept",
  "private.approval_servers.owner_id": "kept",
  "public.swarms.owner_id": "kept",
  "public.swarm_members.user_id": "kept",
  "public.swarm_members.invited_by": "kept",
  "public.swarm_agents.added_by": "kept",
  "private.private_swarms.user_id": "kept",
  "private.hidden_swarms.user_id": "kept",
  "public.messages.sender_user_id": "kept",
  "public.message_revisions.edited_by": "kept",
  "public.message_flags.flagged_by": "kept",
  "public.message_flags.resolved_by": "kept",
  "public.read_positions.user_id": "kept",
  "public.runs.user_id": "kept",
  "public.tool_executions.decided_by": "kept",
  "private.idempotency_keys.user_id": "kept",
  "public.usage_records.payer_id": "kept",
  "public.usage_records.user_id": "kept",
  "public.eval_datasets.user_id": "kept",
  "public.eval_cases.user_id": "kept",
  "public.eval_runs.user_id": "kept",
  "public.eval_results.user_id": "kept",
  "private.mail_outbox.user_id": "kept",
  "private.mail_outbox.sender_id": "kept",
  "private.request_nonces.user_id": "kept",
  "auth.audit_log_entries.user_id": "kept",
  // The operator has named the account.
  "ext_operator.operators.user_id": "kept",
  // Of an extension that only tests have.
  "ext_notes.notes.user_id": "kept",
  "public.note_pins.user_id": "kept",
};

/** What whoever has signed up with the address of somebody else can leave behind. */
const prepare = (agent: string): readonly string[] => [
  `insert into auth.mfa_factors (user_id, factor_type, status, secret_wrapped) values ($1, 'totp', 'unverified', 'x')`,
  `insert into auth.webauthn_credentials (user_id, credential_id, public_key, sign_count, aaguid, is_backed_up)
     values ($1, $1::uuid::text::bytea, 'x', 0, gen_random_uuid(), false)`,
  `insert into auth.webauthn_challenges (user_id, challenge_hash, expires_at) values ($1, 'x', now() + interval '5 min')`,
  `insert into auth.identities (user_id, provider, provider_id) values ($1, 'other', $1::uuid::text)`,
  `insert into auth.flow_states
       (user_id, auth_code_hash, authentication_method, code_challenge, code_challenge_method, expires_at)
     values ($1, $1::uuid::text::bytea, 'otp', 'x', 's256', now() + interval '1 hour')`,
  `insert into auth.one_time_tokens (user_id, kind, token_hash, relates_to, expires_at)
     values ($1, 'recovery', 'x', 'victim@example.com', now() + interval '1 hour')`,
  `insert into private.request_signing_secrets (user_id, secret_wrapped) values ($1, 'x')`,
  `update public.user_settings set require_message_signature = true where user_id = $1`,
  `insert into private.tool_authorizations (owner_id, url) values ($1, 'https://tools.example.com/')`,
  `insert into public.event_feeds (user_id, name, events) values ($1, 'f', '{message.created}')`,
  `insert into public.webhooks (user_id, name, url, events) values ($1, 'w', 'https://evil.example.com/', '{message.created}')`,
  `insert into public.agents (id, user_id, name) values ('${agent}', $1, 'Ada')`,
  `insert into public.agent_grants (agent_id, audience) select '${agent}', 'everyone' where $1::uuid is not null`,
  `with key as (insert into auth.sessions (user_id, api_key_hash) values ($1, $1::uuid::text::bytea) returning id)
   insert into public.api_keys (id, user_id, name, scopes, prefix) select id, $1, 'k', '{read}', 'sk_' from key`,
  `with program as (
     insert into auth.oauth_clients (id, registration, name, redirect_uris)
     values ('p', 'manual', 'p', '{https://evil.example.com/}')
   ), session as (
     insert into auth.sessions (user_id, api_key_hash, refresh_key_wrapped) values ($1, 'p', 'p') returning id
   ), consent as (
     insert into auth.oauth_consents (user_id, client_id, resource, scopes, client_name, redirect_uris)
     values ($1, 'p', 'r', '{read}', 'p', '{https://evil.example.com/}')
   ), request as (
     insert into auth.oauth_authorizations
       (user_id, client_id, redirect_uri, scopes, resource, code_challenge, code_hash, expires_at)
     values ($1, 'p', 'https://evil.example.com/', '{read}', 'r', 'x', 'x', now() + interval '1 min')
   )
   insert into auth.oauth_sessions (id, user_id, client_id, resource, scopes, access_expires_at)
     select id, $1, 'p', 'r', '{read}', now() from session`,
  `update auth.users set new_email = 'attacker@example.com' where id = $1`,
];

const prepareExtensions = (agent: string): readonly string[] => [
  `insert into public.schedules (user_id, name, agent_id, message, cron) values ($1, 's', '${agent}', 'm', '0 * * * *')`,
  `insert into public.triggers (user_id, name, agent_id, message, verification) values ($1, 't', '${agent}', 'm', 'bearer')`,
];

describe("an account that somebody has prepared for the address of somebody else", () => {
  it("loses everything that gives access when the address is proven by an identity", async (t) => {
    const withdrawn: string[] = [];
    const stage = await openSignInStage(t, { prepareWithdrawal: async (id) => () => void withdrawn.push(id) });
    const { adminUrl, masterKey, owner } = stage.database;
    await migrate({
      adminUrl,
      masterKey,
      settings: { agentLimitPerUser: 100 },
      observer: silentObserver,
      extensions: EXTENSION_SCHEMAS,
    });
    const attacker = await signUp(stage, "victim@example.com");
    const { id } = attacker.user;
    const rows = async (text: string, values: readonly unknown[] = [id]): Promise<Record<string, unknown>[]> =>
      (await owner.query<Record<string, unknown>>(text, [...values])).rows;
    const agent = randomUUID();
    for (const text of [...prepare(agent), ...prepareExtensions(agent)]) await rows(text);

    const ended = await stage.signIn("acme", { sub: "victim", email: "victim@example.com", email_verified: true });
    const user = await stage.userOf(ended);
    assert.equal(user.id, id);
    assert.deepEqual([user.app_metadata["providers"], user["new_email"]], [["acme"], undefined]);
    assert.deepEqual(withdrawn, [id]);
    await assert.rejects(
      stage.call("GET", "/user", { token: attacker.access_token }),
      rejection(401, "session_not_found"),
    );
    const signIn = { query: { grant_type: "password" }, body: { email: "victim@example.com", password: PASSWORD } };
    await assert.rejects(stage.call("POST", "/token", signIn), rejection(400, "invalid_credentials"));

    const left = async (table: string, where = "user_id = $1"): Promise<number> =>
      (await rows(`select from ${table} where ${where}`)).length;
    for (const [column, fate] of Object.entries(TABLES)) {
      if (fate !== "emptied") continue;
      const [schema, table, name] = column.split(".");
      // The victim has one session and one identity of their own by now.
      const own = ["auth.sessions", "auth.identities"].includes(`${schema}.${table}`) ? 1 : 0;
      assert.equal(await left(`${schema}.${table}`, `${name} = $1`), own, column);
    }
    assert.deepEqual(await rows("select is_active, disabled_reason from public.webhooks where user_id = $1"), [
      { is_active: false, disabled_reason: "access_removed" },
    ]);
    for (const table of ["schedules", "triggers"])
      assert.deepEqual(await rows(`select enabled, paused_reason from public.${table} where user_id = $1`), [
        { enabled: false, paused_reason: "UNAUTHORIZED" },
      ]);
    assert.equal(
      await left("public.agent_grants", `agent_id = '${agent}' and expires_at > now() and $1::uuid is not null`),
      0,
    );
    assert.equal(await left("public.user_settings", "user_id = $1 and require_message_signature"), 0);
    assert.deepEqual(await rows("select proven_email, password_hash from auth.users where id = $1"), [
      { proven_email: "victim@example.com", password_hash: null },
    ]);
    const actions = await rows("select action from auth.audit_log_entries where user_id = $1 order by action");
    assert.deepEqual(actions, [{ action: "access_removed" }, { action: "identity_linked" }]);

    // A table that refers to accounts, and of which nobody has decided what becomes of it, fails here.
    const references = await rows(
      `select n.nspname || '.' || t.relname || '.' || a.attname as name
         from pg_constraint c join pg_class t on t.oid = c.conrelid join pg_namespace n on n.oid = t.relnamespace
         join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
        where c.contype = 'f' and c.confrelid = 'auth.users'::regclass and c.conparentid = 0 order by 1`,
      [],
    );
    assert.deepEqual(
      references.map(({ name }) => name).filter((name) => !(String(name) in TABLES)),
      [],
    );
    assert.ok(references.length > 40);
  });

  it("loses the identity that was linked to it when the address is proven by a mail", async (t) => {
    const stage = await openSignInStage(t);
    const attacker = await signUp(stage, "victim@example.com");
    const asked = { provider: "acme", redirect_to: APP, skip_http_redirect: "true" };
    const { body } = await stage.call("GET", "/user/identities/authorize", {
      token: attacker.access_token,
      query: asked,
    });
    const begun = await stage.begin("acme", Object.fromEntries(new URL((body as { url: string }).url).searchParams));
    await stage.answerWith("acme", { sub: "attacker" }, begun);
    await stage.userOf(await stage.end(begun, { code: "c", state: begun.state }));
    await stage.call("POST", "/otp", { body: { email: "victim@example.com" } });
    const { link } = readMail(stage, "victim@example.com", "magiclink");
    await follow(stage, link);
    const user = await stage.userOf(await stage.signIn("acme", { sub: "attacker" }));
    assert.notEqual(user.id, attacker.user.id);
  });

  it("loses as much when the address is proven by a mail, also in a flow with PKCE", async (t) => {
    const withdrawn: string[] = [];
    const stage = await openSignInStage(t, { prepareWithdrawal: async (id) => () => void withdrawn.push(id) });
    const { owner } = stage.database;
    const verifier = "v".repeat(56);
    const code_challenge = createHash("sha256").update(verifier).digest("base64url");
    const { user } = await signUp(stage, "victim@example.com");
    for (const text of prepare(randomUUID())) await owner.query(text, [user.id]);
    await stage.call("POST", "/otp", {
      body: { email: "victim@example.com", code_challenge, code_challenge_method: "s256" },
    });
    const { query } = await follow(stage, readMail(stage, "victim@example.com", "magiclink").link);
    const body = { auth_code: query["code"], code_verifier: verifier };
    await stage.call("POST", "/token", { query: { grant_type: "pkce" }, body });
    assert.deepEqual(withdrawn, [user.id]);
    for (const [column, fate] of Object.entries(TABLES)) {
      if (fate !== "emptied") continue;
      const [schema, table, name] = column.split(".");
      const { rows } = await owner.query(`select from ${schema}.${table} where ${name} = $1`, [user.id]);
      const own = ["auth.sessions", "auth.identities"].includes(`${schema}.${table}`) ? 1 : 0;
      assert.equal(rows.length, own, column);
    }
    const { rows } = await owner.query("select is_active from public.webhooks where user_id = $1", [user.id]);
    assert.deepEqual(rows, [{ is_active: false }]);
    const audited = await owner.query("select action from auth.audit_log_entries where user_id = $1", [user.id]);
    assert.ok(audited.rows.some(({ action }: { action: string }) => action === "access_removed"));
  });

  it("keeps everything when the address was proven before", async (t) => {
    const withdrawn: string[] = [];
    const stage = await openSignInStage(t, { prepareWithdrawal: async (id) => () => void withdrawn.push(id) });
    const owner = await signUp(stage, "owner@example.com");
    await stage.database.owner.query("update auth.users set proven_email = email where id = $1", [owner.user.id]);
    const user = await stage.userOf(
      await stage.signIn("acme", { sub: "owner", email: "owner@example.com", email_verified: true }),
    );
    assert.equal(user.id, owner.user.id);
    assert.deepEqual(user.app_metadata["providers"], ["email", "acme"]);
    assert.equal((await stage.call("GET", "/user", { token: owner.access_token })).status, 200);
    await stage.call("POST", "/otp", { body: { email: "owner@example.com" } });
    await follow(stage, readMail(stage, "owner@example.com", "magiclink").link);
    assert.deepEqual(withdrawn, []);
  });

  it("loses its connections too when its owner enters the code of a mail", async (t) => {
    const withdrawn: string[] = [];
    const stage = await openSignInStage(t, { prepareWithdrawal: async (id) => () => void withdrawn.push(id) });
    const { user } = await signUp(stage, "victim@example.com");
    await stage.call("POST", "/otp", { body: { email: "victim@example.com" } });
    const { code: token } = readMail(stage, "victim@example.com", "magiclink");
    assert.deepEqual(withdrawn, []);
    await stage.call("POST", "/verify", { body: { type: "email", email: "victim@example.com", token } });
    assert.deepEqual(withdrawn, [user.id]);
  });

  it("stays as it is when the issuer does not call the address verified", async (t) => {
    const stage = await openSignInStage(t);
    const owner = await signUp(stage, "owner@example.com");
    await stage.signIn("acme", { sub: "liar", email: "owner@example.com", email_verified: false });
    const { body } = await stage.call("GET", "/user", { token: owner.access_token });
    assert.equal((body as { identities: unknown[] }).identities.length, 1);
  });
});
