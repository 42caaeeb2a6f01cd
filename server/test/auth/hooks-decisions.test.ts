import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { AuthHooks } from "../../src/auth/hooks/open-hooks.ts";
import { newPerson, Person, readClaims } from "./mfa-person.ts";
import { onNode, PASSWORD, signIn, signUp } from "./support/accounts.ts";
import { createAuthContext, type TestAuthContext } from "./support/auth-context.ts";
import { buildAuthSettings } from "./support/auth-settings.ts";
import { type HookEvent, type HookStage, type Kind, KINDS, openHookStage } from "./support/hook-stage.ts";
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

let people = 0;
const newEmail = (): string => `decision-${(people += 1)}@example.com`;

function hooksAt(kind: Kind, name: string, more: Record<string, string> = {}): AuthHooks {
  return stage.open(stage.at(kind, name, more));
}

async function exists(email: string): Promise<boolean> {
  const { rows } = await auth.database.owner.query("select from auth.users where email = $1", [email]);
  return rows.length > 0;
}

const CONTINUE = { decision: "continue" };

for (const kind of KINDS)
  describe(`before a user is created, a hook over ${kind}`, () => {
    const mails = buildAuthSettings({ authAutoconfirm: false });
    const service = () => ({ token: auth.serviceRoleKey });
    /** Every way to an account that people or invitations take. */
    const ways = {
      "sign-up": (hooks: AuthHooks, email: string) =>
        auth.call("POST", "/signup", { body: { email, password: PASSWORD, data: { plan: 1 } }, node: { hooks } }),
      "sign-up that has to be confirmed": (hooks: AuthHooks, email: string) =>
        auth.call("POST", "/signup", {
          body: { email, password: PASSWORD, data: { plan: 1 } },
          node: { hooks, settings: mails },
        }),
      invitation: (hooks: AuthHooks, email: string) =>
        auth.call("POST", "/invite", { ...service(), body: { email, data: { plan: 1 } }, node: { hooks } }),
      "generated link": (hooks: AuthHooks, email: string) =>
        auth.call("POST", "/admin/generate_link", {
          ...service(),
          body: { type: "invite", email, data: { plan: 1 } },
          node: { hooks },
        }),
      "one-time code": (hooks: AuthHooks, email: string) =>
        auth.call("POST", "/otp", { body: { email, data: { plan: 1 } }, node: { hooks } }),
    };

    for (const [name, create] of Object.entries(ways))
      it(`is asked about the account of a ${name}, which gets the id that the hook saw`, async () => {
        const hooks = hooksAt(kind, "BEFORE_USER_CREATED");
        await stage.answer({});
        await stage.takeEvents();
        const email = newEmail();
        await create(hooks, email);
        const [event, ...others] = await stage.takeEvents();
        assert.deepEqual(others, []);
        const { rows } = await auth.database.owner.query("select id, email from auth.users where email = $1", [email]);
        const { metadata, user } = event ?? assert.fail();
        assert.deepEqual([rows[0]], [{ id: user.id, email: user.email }]);
        assert.deepEqual([metadata.name, metadata.ip_address], ["before-user-created", "127.0.0.1"]);
        assert.deepEqual([user.app_metadata.provider, user.user_metadata.plan, user.is_anonymous], ["email", 1, false]);
      });

    for (const [name, create] of Object.entries(ways))
      it(`can refuse the account of a ${name}`, async () => {
        const hooks = hooksAt(kind, "BEFORE_USER_CREATED");
        await stage.answer({ error: { http_code: 400, message: "Only company addresses" } });
        const email = newEmail();
        const sent = auth.mails.length;
        const creating = create(hooks, email);
        // The response to a request for a code never depends on the account.
        if (name === "one-time code") assert.equal((await creating).status, 200);
        else await assert.rejects(creating, rejection(400, "hook_refused", /^Only company addresses$/));
        assert.equal(await exists(email), false);
        assert.equal(auth.mails.length, sent);
      });

    it("decides about anonymous accounts, and with `decision` too", async () => {
      const hooks = hooksAt(kind, "BEFORE_USER_CREATED");
      await stage.answer({ decision: "reject", message: "Sign up with an address" });
      await stage.takeEvents();
      const signingUp = auth.call("POST", "/signup", { body: {}, node: { hooks } });
      await assert.rejects(signingUp, rejection(403, "hook_refused", /^Sign up with an address$/));
      const [event] = await stage.takeEvents();
      assert.deepEqual([event?.["user"].email, event?.["user"].is_anonymous], ["", true]);
    });

    it("is not asked about accounts that the service role creates or that exist", async () => {
      const hooks = hooksAt(kind, "BEFORE_USER_CREATED");
      await stage.answer({ error: { http_code: 400, message: "No" } });
      await stage.takeEvents();
      const email = newEmail();
      await auth.call("POST", "/admin/users", { ...service(), body: { email, email_confirm: true }, node: { hooks } });
      await auth.call("POST", "/otp", { body: { email }, node: { hooks } });
      const invited = newEmail();
      await auth.call("POST", "/invite", { ...service(), body: { email: invited } });
      await auth.call("POST", "/invite", { ...service(), body: { email: invited }, node: { hooks } });
      assert.deepEqual(await stage.takeEvents(), []);
      assert.equal(auth.mails.at(-1)?.to, invited);
    });

    it("that is away refuses accounts, or admits them if its policy is to go on", async () => {
      await stage.answer("no object");
      const email = newEmail();
      const node = onNode(auth, { hooks: hooksAt(kind, "BEFORE_USER_CREATED") });
      await assert.rejects(signUp(node, email), rejection(500, "unexpected_failure"));
      assert.equal(await exists(email), false);
      const going = hooksAt(kind, "BEFORE_USER_CREATED", { AUTH_HOOK_BEFORE_USER_CREATED_ON_FAILURE: "continue" });
      await signUp(onNode(auth, { hooks: going }), email);
    });
  });

describe("a request for a code, while the hook for new accounts is away", () => {
  it("is kept, and answered when the hook is back", async () => {
    const hooks = hooksAt("http", "BEFORE_USER_CREATED");
    stage.answerBy((_request, response) => void response.writeHead(502).end());
    const email = newEmail();
    await auth.call("POST", "/otp", { body: { email }, node: { hooks } });
    assert.equal(await exists(email), false);
    await stage.answer({});
    await auth.database.owner.query("update private.mail_outbox set due_at = now() where email = $1", [email]);
    await auth.call("GET", "/health", { node: { hooks } });
    assert.equal(auth.mails.at(-1)?.to, email);
  });
});

for (const kind of KINDS)
  describe(`of password attempts, a hook over ${kind}`, () => {
    const NAME = "PASSWORD_VERIFICATION_ATTEMPT";

    it("learns of right and wrong ones, and lets both go on", async () => {
      const email = newEmail();
      const { user } = await signUp(auth, email);
      const node = onNode(auth, { hooks: hooksAt(kind, NAME) });
      await stage.answer(CONTINUE);
      await stage.takeEvents();
      await signIn(node, email);
      await assert.rejects(signIn(node, email, "wrong"), rejection(400, "invalid_credentials", /^Invalid login/));
      const events = await stage.takeEvents();
      const seen = ({ metadata, user_id: id, valid }: HookEvent) => [metadata.name, id, valid];
      assert.deepEqual(events.map(seen), [
        ["password-verification", user.id, true],
        ["password-verification", user.id, false],
      ]);
    });

    it("can reject both with one error, and sign the user out", async () => {
      const email = newEmail();
      const { access_token: token } = await signUp(auth, email);
      const node = onNode(auth, { hooks: hooksAt(kind, NAME) });
      const reject = { decision: "reject", message: "Too many attempts", should_logout_user: false };
      await stage.answer(reject);
      for (const password of [PASSWORD, "wrong"])
        await assert.rejects(
          signIn(node, email, password),
          rejection(400, "invalid_credentials", /^Too many attempts$/),
        );
      assert.equal((await auth.call("GET", "/user", { token })).status, 200);
      await stage.answer({ ...reject, should_logout_user: true });
      await assert.rejects(signIn(node, email, "wrong"), rejection(400, "invalid_credentials"));
      await assert.rejects(auth.call("GET", "/user", { token }), rejection(401, "session_not_found"));
    });

    it("that is away gives no sign of a right password, of a wrong one or of an account", async () => {
      const email = newEmail();
      await signUp(auth, email);
      const node = onNode(auth, { hooks: hooksAt(kind, NAME) });
      await stage.answer({});
      await stage.takeEvents();
      const failed = rejection(500, "unexpected_failure", /^The hook password_verification_attempt failed$/);
      for (const password of [PASSWORD, "wrong"]) await assert.rejects(signIn(node, email, password), failed);
      assert.equal((await stage.takeEvents()).length, 2);
      await assert.rejects(signIn(node, "nobody@example.com"), failed);
      assert.deepEqual(await stage.takeEvents(), []);
      const going = onNode(auth, { hooks: hooksAt(kind, NAME, { [`AUTH_HOOK_${NAME}_ON_FAILURE`]: "continue" }) });
      await signIn(going, email);
      await assert.rejects(signIn(going, email, "wrong"), rejection(400, "invalid_credentials"));
    });
  });

for (const kind of KINDS)
  describe(`of second factors, a hook over ${kind}`, () => {
    const NAME = "MFA_VERIFICATION_ATTEMPT";

    /** A person whose calls reach a node with the hook. */
    async function enrolled() {
      const person = await newPerson(auth);
      person.enterNextStep();
      const factor = await person.enrolVerified();
      person.enterNextStep();
      const hooks = hooksAt(kind, NAME);
      const hooked = new Person({ ...auth, ...onNode(auth, { hooks }) }, person.email, {
        access_token: person.token,
        refresh_token: person.refreshToken,
        user: { id: person.id },
      });
      return { person, hooked, factor };
    }

    it("learns of right and wrong codes, which have the effect that they have without it", async () => {
      const { hooked, factor } = await enrolled();
      await stage.answer(CONTINUE);
      await stage.takeEvents();
      const challenge = await hooked.challenge(factor.id);
      const wrong = hooked.verify(factor.id, challenge, hooked.wrongCode(factor));
      await assert.rejects(wrong, rejection(422, "mfa_verification_failed"));
      const { rows } = await auth.database.owner.query(
        "select failed_attempts from auth.mfa_challenges where id = $1",
        [challenge],
      );
      assert.deepEqual(rows, [{ failed_attempts: 1 }]);
      const { access_token: token } = await hooked.verify(factor.id, challenge, hooked.code(factor));
      assert.equal(readClaims(token)["aal"], "aal2");
      const events = await stage.takeEvents();
      const seen = ({ metadata, ...event }: HookEvent) => ({ name: metadata.name, ...event });
      const event = { name: "mfa-verification", user_id: hooked.id, factor_id: factor.id, factor_type: "totp" };
      assert.deepEqual(events.map(seen), [
        { ...event, valid: false },
        { ...event, valid: true },
      ]);
    });

    it("can reject a right code, which has no effect, and ends the sessions of the user", async () => {
      const { person, hooked, factor } = await enrolled();
      await stage.answer({ decision: "reject", message: "Too many codes" });
      const challenge = await hooked.challenge(factor.id);
      const verifying = hooked.verify(factor.id, challenge, hooked.code(factor));
      await assert.rejects(verifying, rejection(403, "mfa_verification_rejected", /^Too many codes$/));
      await assert.rejects(auth.call("GET", "/user", { token: person.token }), rejection(401, "session_not_found"));
      const { rows } = await auth.database.owner.query("select verified_at from auth.mfa_challenges where id = $1", [
        challenge,
      ]);
      assert.deepEqual(rows, [{ verified_at: null }]);
    });

    it("decides about recovery codes too, and a rejected one stays usable", async () => {
      const { person, hooked } = await enrolled();
      const { body } = await auth.call("POST", "/factors/recovery-codes", { token: person.token, body: {} });
      const [code] = (body as { codes: string[] }).codes;
      const use = (by: Person, token: string) =>
        by.stage.call("POST", "/factors/recovery-codes/verify", { token, body: { code } });
      await stage.answer({ decision: "reject" });
      await stage.takeEvents();
      const rejected = rejection(403, "mfa_verification_rejected", /^Further MFA/);
      await assert.rejects(use(hooked, person.token), rejected);
      const [event] = await stage.takeEvents();
      assert.deepEqual([event?.["factor_type"], event?.["valid"]], ["recovery_code", true]);
      const { access_token: token } = await person.signIn();
      assert.equal((await use(person, token)).status, 200);
    });

    it("that is away refuses a right code, which stays usable", async () => {
      const { person, hooked, factor } = await enrolled();
      await stage.answer({ decision: "perhaps" });
      const challenge = await hooked.challenge(factor.id);
      const code = hooked.code(factor);
      await assert.rejects(hooked.verify(factor.id, challenge, code), rejection(500, "unexpected_failure"));
      await person.verify(factor.id, challenge, code);
    });
  });
