import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Claims } from "../../src/db/index.ts";
import { customizeClaims } from "../../src/auth/index.ts";
import { newPerson, Person, readClaims } from "./mfa-person.ts";
import { onNode, refresh, signIn, signUp } from "./support/accounts.ts";
import { createAuthContext, type TestAuthContext } from "./support/auth-context.ts";
import { type HookStage, type Kind, KINDS, openHookStage } from "./support/hook-stage.ts";
import { rejection } from "./support/rejection.ts";

const closers: (() => Promise<void>)[] = [];
const cleanup = { after: (close: () => Promise<void>) => void closers.unshift(close) };
let auth: TestAuthContext;
let stage: HookStage;
before(async () => {
  auth = await createAuthContext(cleanup);
  stage = await openHookStage(cleanup, auth);
});
after(async () => {
  for (const close of closers) await close();
});

const NAME = "CUSTOM_ACCESS_TOKEN";
let people = 0;
const newEmail = (): string => `claims-${(people += 1)}@example.com`;

function nodeWith(kind: Kind, more: Record<string, string> = {}) {
  const hooks = stage.open(stage.at(kind, NAME, more));
  return { hooks, node: onNode(auth, { hooks }) };
}

async function countSessions(userId: string): Promise<number> {
  const { rows } = await auth.database.owner.query("select from auth.sessions where user_id = $1", [userId]);
  return rows.length;
}

async function countUsers(): Promise<number> {
  const { rows } = await auth.database.owner.query("select from auth.users");
  return rows.length;
}

/** Makes the function and the server return the claims of the event with these changes; null removes one. */
async function answerClaims(changes: Record<string, unknown>): Promise<void> {
  await stage.answer({});
  stage.answerBy((_request, response, body) => {
    const { claims } = JSON.parse(body) as { claims: Record<string, unknown> };
    for (const [name, value] of Object.entries(changes)) {
      if (value === null) delete claims[name];
      else claims[name] = value;
    }
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ claims }));
  });
  await auth.database.owner.query(`
    create or replace function app.hook(event jsonb) returns jsonb language plpgsql as $$
    begin
      insert into app.events (event, caller) values (event, current_user);
      return jsonb_build_object('claims', jsonb_strip_nulls((event -> 'claims') || '${JSON.stringify(changes).replaceAll("'", "''")}'));
    end $$`);
}

for (const kind of KINDS)
  describe(`the claims of a token, by a hook over ${kind}`, () => {
    it("are asked for with each sign-in and refresh, and the token has the answer", async () => {
      const { node } = nodeWith(kind);
      await answerClaims({ tenant: "acme", app_metadata: { plan: "pro" } });
      await stage.takeEvents();
      const email = newEmail();
      const first = await signUp(node, email);
      const second = await signIn(node, email);
      const third = await refresh(node, second.refresh_token);
      const anonymous = await node.call("POST", "/signup", { body: {} });
      for (const { access_token: token } of [first, second, third, anonymous.body as { access_token: string }]) {
        const { tenant, app_metadata } = readClaims(token);
        assert.deepEqual([tenant, app_metadata], ["acme", { plan: "pro" }]);
      }
      const events = await stage.takeEvents();
      assert.deepEqual(
        events.map(({ authentication_method: method }) => method),
        ["password", "password", "token_refresh", "anonymous"],
      );
      const [{ metadata, user_id: userId, claims } = assert.fail()] = events;
      assert.equal(userId, first.user.id);
      assert.deepEqual([metadata.name, metadata.ip_address], ["customize-access-token", "127.0.0.1"]);
      assert.deepEqual([claims.sub, claims.email, claims.aal], [first.user.id, email, "aal1"]);
      assert.equal(claims.refresh_counter, undefined);
      assert.equal(readClaims(third.access_token)["refresh_counter"], 1);
    });

    it("may lack what Supabase does not require", async () => {
      const { node } = nodeWith(kind);
      await answerClaims({ amr: null, app_metadata: null, user_metadata: null });
      const { access_token: token } = await signUp(node, newEmail());
      const { amr, app_metadata } = readClaims(token);
      assert.deepEqual([amr, app_metadata], [undefined, undefined]);
      assert.equal((await node.call("GET", "/user", { token })).status, 200);
    });

    for (const [name, value] of Object.entries({
      iss: "https://other.example",
      sub: "00000000-0000-4000-8000-000000000001",
      aud: "other",
      exp: 4_000_000_000,
      iat: 1,
      nbf: 4_000_000_000,
      role: "service_role",
      aal: "aal2",
      amr: [{ method: "totp", timestamp: 1 }],
      session_id: "00000000-0000-4000-8000-000000000001",
      is_anonymous: true,
      refresh_counter: 7,
      api_key_id: "00000000-0000-4000-8000-000000000001",
      scopes: ["write"],
      resources: {},
      "": "x\0",
    }))
      it(`cannot change ${name === "" ? "into what the database cannot store" : name}: the sign-up leaves no account, and a sign-in no session`, async () => {
        const { node } = nodeWith(kind);
        // PostgreSQL has no such text, so the function cannot return one.
        const given = name === "" && kind === "sql" ? { role: null } : { [name]: value };
        await answerClaims(given);
        const before = await countUsers();
        const denied = rejection(500, "unexpected_failure", /^The hook custom_access_token failed$/);
        await assert.rejects(signUp(node, newEmail()), denied);
        // An anonymous account has this one.
        if (name !== "is_anonymous") await assert.rejects(node.call("POST", "/signup", { body: {} }), denied);
        assert.equal(await countUsers(), before);
        const email = newEmail();
        const { user } = await signUp(auth, email);
        await assert.rejects(signIn(node, email), denied);
        assert.equal(await countSessions(user.id), 1);
      });

    it("are not changed by a hook that tries, where its policy is to go on", async () => {
      const { node } = nodeWith(kind, { [`AUTH_HOOK_${NAME}_ON_FAILURE`]: "continue" });
      await answerClaims({ role: "service_role", tenant: "acme" });
      const { role, tenant } = readClaims((await signUp(node, newEmail())).access_token);
      assert.deepEqual([role, tenant], ["authenticated", undefined]);
    });

    it("have a limit, below which the token is accepted", async () => {
      const { node } = nodeWith(kind);
      await answerClaims({ filler: "x".repeat(69_000) });
      const { access_token: token } = await signUp(node, newEmail());
      assert.equal((await node.call("GET", "/user", { token })).status, 200);
      await answerClaims({ filler: "x".repeat(70_000) });
      await assert.rejects(signUp(node, newEmail()), rejection(422, "hook_payload_over_size_limit"));
    });

    it("can be refused by the hook, which names status and message", async () => {
      await stage.answer({ error: { http_code: 403, message: "Members of the team only" } });
      await resetFunction();
      const { node } = nodeWith(kind, { [`AUTH_HOOK_${NAME}_ON_FAILURE`]: "continue" });
      await assert.rejects(signUp(node, newEmail()), rejection(403, "hook_refused", /^Members of the team only$/));
    });

    it("that a verified factor would change are asked for; without them the session stays as it was", async () => {
      const { node } = nodeWith(kind);
      await answerClaims({ tenant: "acme" });
      const person = await newPerson(auth);
      const factor = await person.enrol();
      const challenge = await person.challenge(factor.id);
      await answerClaims({ aal: "aal1", role: "admin" });
      const verifying = new Person({ ...auth, ...node }, person.email, {
        access_token: person.token,
        refresh_token: person.refreshToken,
        user: { id: person.id },
      });
      await assert.rejects(
        verifying.verify(factor.id, challenge, person.code(factor)),
        rejection(500, "unexpected_failure"),
      );
      const { rows } = await auth.database.owner.query("select aal, factor_id from auth.sessions where user_id = $1", [
        person.id,
      ]);
      assert.deepEqual(rows, [{ aal: "aal1", factor_id: null }]);
      person.take(await person.refresh());
      await answerClaims({ tenant: "acme" });
      person.enterNextStep();
      const raised = await verifying.verify(factor.id, await person.challenge(factor.id), person.code(factor));
      const { aal, tenant } = readClaims(raised.access_token);
      assert.deepEqual([aal, tenant], ["aal2", "acme"]);
    });

    it("are asked for with a code or link from a mail, which a refusal uses up", async () => {
      const { node } = nodeWith(kind);
      const email = newEmail();
      await signUp(auth, email);
      const link = async (): Promise<string> => {
        const body = { type: "magiclink", email };
        const { body: made } = await auth.call("POST", "/admin/generate_link", { token: auth.serviceRoleKey, body });
        return (made as { hashed_token: string }).hashed_token;
      };
      await answerClaims({ tenant: "acme" });
      const query = { token: await link(), type: "magiclink" };
      const location = new URL((await node.call("GET", "/verify", { query })).headers?.["location"] ?? "");
      const token = new URLSearchParams(location.hash.slice(1)).get("access_token") ?? "";
      assert.equal(readClaims(token)["tenant"], "acme");
      await stage.answer({ error: { http_code: 403, message: "Not now" } });
      await resetFunction();
      const refused = { token: await link(), type: "magiclink" };
      const answered = new URL((await node.call("GET", "/verify", { query: refused })).headers?.["location"] ?? "");
      assert.equal(new URLSearchParams(answered.hash.slice(1)).get("error_description"), "Not now");
      const again = new URL((await node.call("GET", "/verify", { query: refused })).headers?.["location"] ?? "");
      assert.equal(new URLSearchParams(again.hash.slice(1)).get("error_code"), "otp_expired");
    });
  });

async function resetFunction(): Promise<void> {
  await auth.database.owner.query(`
    create or replace function app.hook(event jsonb) returns jsonb language plpgsql as $$
    begin
      insert into app.events (event, caller) values (event, current_user);
      return (select answer from app.answers);
    end $$`);
}

describe("a refresh while the hook is away", () => {
  it("asks the client to try again, and leaves the token valid, however often it is tried", async () => {
    const { node } = nodeWith("http");
    const { refresh_token: token } = await signUp(auth, newEmail());
    stage.answerBy((_request, response) => void response.writeHead(500).end());
    for (let attempt = 0; attempt < 3; attempt += 1)
      await assert.rejects(refresh(node, token), rejection(503, "unexpected_failure"));
    auth.clock.advance(3_600_000);
    await answerClaims({ tenant: "acme" });
    const refreshed = await refresh(node, token);
    assert.equal(readClaims(refreshed.access_token)["tenant"], "acme");
    await refresh(node, refreshed.refresh_token);
  });

  it("that refuses says so", async () => {
    const { node } = nodeWith("http");
    const { refresh_token: token } = await signUp(auth, newEmail());
    await stage.answer({ error: { http_code: 403, message: "Not any more" } });
    await assert.rejects(refresh(node, token), rejection(403, "hook_refused", /^Not any more$/));
    await refresh(auth, token);
  });
});

describe("the claims of a tool that acts for a person", () => {
  it("are those of a new token, without a session", async () => {
    const { hooks } = nodeWith("http");
    await answerClaims({ tenant: "acme" });
    await stage.takeEvents();
    const given: Claims = { sub: "00000000-0000-4000-8000-000000000001", role: "authenticated", aal: "aal1", amr: [] };
    const hook = hooks.custom_access_token ?? assert.fail();
    assert.deepEqual(await customizeClaims(hook, { claims: given, method: "token_refresh" }), {
      ...given,
      tenant: "acme",
    });
    const [event] = await stage.takeEvents();
    assert.deepEqual([event?.["metadata"].ip_address, event?.["claims"].session_id], [undefined, undefined]);
    await answerClaims({ session_id: "00000000-0000-4000-8000-000000000001" });
    await assert.rejects(customizeClaims(hook, { claims: given, method: "token_refresh" }));
  });
});
