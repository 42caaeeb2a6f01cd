import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { collectClosers } from "./one-time-closers.ts";
import { claimsOf, findPerson, follow, makePerson, readMail, sessionOf, signIn } from "./one-time-mailbox.ts";
import { createAuthContext, type TestAuthContext } from "./support/auth-context.ts";
import { rejection } from "./support/rejection.ts";

const HALF = { msg: "Confirmation link accepted. Please proceed to confirm link sent to the other email", code: "200" };
const expired = rejection(403, "otp_expired");

describe("a change of e-mail address", () => {
  const closers = collectClosers();
  let auth: TestAuthContext;
  let made = 0;
  before(async () => {
    auth = await createAuthContext(closers, { settings: { authAutoconfirm: false } });
  });

  /** A signed-in user with a pending change of address. */
  async function begin(context: TestAuthContext, newEmail?: string) {
    made += 1;
    const before = `old-${made}@example.com`;
    const after = newEmail ?? `new-${made}@example.com`;
    const user = await makePerson(context, before);
    const { access_token: token } = await signIn(context, before);
    const answer = await context.call("PUT", "/user", { token, body: { email: after } });
    return { user, before, after, token, answer };
  }

  for (const order of [
    ["email_change_current", "email_change_new"],
    ["email_change_new", "email_change_current"],
  ] as const) {
    it(`needs both addresses, first ${order[0]}`, async () => {
      const { user, before, after, answer } = await begin(auth);
      assert.equal((answer.body as { new_email: string }).new_email, after);
      const addressOf = { email_change_current: before, email_change_new: after };
      const [first, second] = order.map((kind) => ({
        email: addressOf[kind],
        ...readMail(auth, addressOf[kind], kind),
      }));
      assert.ok(first && second);
      assert.equal(first.mail.values.newEmail, after);

      const half = await auth.call("POST", "/verify", {
        body: { type: "email_change", email: first.email, token: first.code },
      });
      assert.deepEqual([half.status, half.body], [200, HALF]);
      assert.equal((await findPerson(auth, before)).new_email, after);
      // A second confirmation of the same address does not count.
      await assert.rejects(
        auth.call("POST", "/verify", { body: { type: "email_change", token_hash: first.hash } }),
        expired,
      );

      const whole = await auth.call("POST", "/verify", {
        body: { type: "email_change", email: second.email, token: second.code },
      });
      const session = sessionOf(whole);
      assert.equal(claimsOf(session).email, after);
      assert.deepEqual(
        claimsOf(session).amr.map(({ method }) => method),
        ["email_change"],
      );
      const changed = await findPerson(auth, after);
      assert.deepEqual([changed.id, changed.new_email, changed.email_change_confirmations], [user.id, null, 0]);
      assert.equal(changed.user_metadata["email"], after);
      const { rows } = await auth.context.pool.query("select email from auth.identities where user_id = $1", [user.id]);
      assert.deepEqual(rows, [{ email: after }]);
    });
  }

  it("counts a confirmation of one address once", async () => {
    const { user, before, after, token } = await begin(auth);
    const first = readMail(auth, before, "email_change_current");
    assert.deepEqual(
      (await auth.call("POST", "/verify", { body: { type: "email_change", token_hash: first.hash } })).body,
      HALF,
    );
    // The admin API can issue a second token for the address that has confirmed.
    const link = await auth.call("POST", "/admin/generate_link", {
      token: auth.serviceRoleKey,
      body: { type: "email_change_current", email: before, new_email: after },
    });
    const { hashed_token } = link.body as { hashed_token: string };
    assert.deepEqual(
      (await auth.call("POST", "/verify", { body: { type: "email_change", token_hash: hashed_token } })).body,
      HALF,
    );
    assert.equal((await findPerson(auth, before)).id, user.id);
    await auth.call("GET", "/user", { token });
  });

  it("by links: the first reports the pending confirmation, the second signs in", async () => {
    const { before, after } = await begin(auth);
    const first = await follow(auth, readMail(auth, after, "email_change_new").link);
    assert.deepEqual(first.fragment, { message: HALF.msg, sb: "" });
    const second = await follow(auth, readMail(auth, before, "email_change_current").link);
    assert.equal(second.fragment["type"], "email_change");
    assert.equal(claimsOf({ access_token: second.fragment["access_token"] ?? "" }).email, after);
  });

  it("started again discards earlier confirmations", async () => {
    const { before, after, token } = await begin(auth);
    const stale = readMail(auth, after, "email_change_new");
    await auth.call("POST", "/verify", {
      body: { type: "email_change", token_hash: readMail(auth, before, "email_change_current").hash },
    });
    await auth.call("PUT", "/user", { token, body: { email: `other-${after}` } });
    await assert.rejects(
      auth.call("POST", "/verify", { body: { type: "email_change", token_hash: stale.hash } }),
      expired,
    );
    const fresh = readMail(auth, `other-${after}`, "email_change_new");
    assert.deepEqual(
      (await auth.call("POST", "/verify", { body: { type: "email_change", token_hash: fresh.hash } })).body,
      HALF,
    );
  });

  it("can be mailed again to both addresses", async () => {
    const { before, after } = await begin(auth);
    const stale = readMail(auth, after, "email_change_new");
    const sent = auth.mails.length;
    assert.deepEqual(await auth.call("POST", "/resend", { body: { type: "email_change", email: before } }), {
      status: 200,
      body: {},
    });
    assert.deepEqual(
      auth.mails.slice(sent).map(({ to, kind }) => [to, kind]),
      [
        [before, "email_change_current"],
        [after, "email_change_new"],
      ],
    );
    assert.notEqual(readMail(auth, after, "email_change_new").hash, stale.hash);
    assert.deepEqual(await auth.call("POST", "/resend", { body: { type: "email_change", email: after } }), {
      status: 200,
      body: {},
    });
    assert.equal(auth.mails.length, sent + 2, "an address that has no account yet is nobody's");
  });

  it("invalidates codes and links that were mailed to the previous address", async () => {
    const { before, after } = await begin(auth);
    await auth.call("POST", "/recover", { body: { email: before } });
    const recovery = readMail(auth, before, "recovery");
    for (const [email, kind] of [
      [before, "email_change_current"],
      [after, "email_change_new"],
    ] as const) {
      await auth.call("POST", "/verify", {
        body: { type: "email_change", token_hash: readMail(auth, email, kind).hash },
      });
    }
    await findPerson(auth, after);
    await assert.rejects(
      auth.call("POST", "/verify", { body: { type: "recovery", token_hash: recovery.hash } }),
      expired,
    );
    await assert.rejects(
      auth.call("POST", "/verify", { body: { type: "recovery", email: before, token: recovery.code } }),
      expired,
    );
  });

  it("to a taken address gets the same response and notifies the owner", async () => {
    await makePerson(auth, "owner@example.com");
    const free = await begin(auth);
    const taken = await begin(auth, "owner@example.com");
    const namesOf = (answer: { body?: unknown }) => Object.keys(answer.body as object).toSorted();
    assert.deepEqual(namesOf(taken.answer), namesOf(free.answer));
    assert.equal((taken.answer.body as { new_email: string }).new_email, "owner@example.com");
    readMail(auth, "owner@example.com", "address_taken");
    assert.equal(
      auth.mails.some(({ to, kind }) => to === "owner@example.com" && kind === "email_change_new"),
      false,
    );
    const current = readMail(auth, taken.before, "email_change_current");
    assert.deepEqual(
      (await auth.call("POST", "/verify", { body: { type: "email_change", token_hash: current.hash } })).body,
      HALF,
    );
    assert.notEqual((await findPerson(auth, "owner@example.com")).id, taken.user.id);
  });

  it("fails like an invalid token when the address was taken meanwhile", async () => {
    const { before, after } = await begin(auth);
    await auth.call("POST", "/verify", {
      body: { type: "email_change", token_hash: readMail(auth, before, "email_change_current").hash },
    });
    const faster = await makePerson(auth, after);
    await assert.rejects(
      auth.call("POST", "/verify", {
        body: { type: "email_change", token_hash: readMail(auth, after, "email_change_new").hash },
      }),
      expired,
    );
    assert.equal((await findPerson(auth, after)).id, faster.id);
  });

  it("confirmed at both addresses concurrently is applied once", async () => {
    for (let round = 0; round < 5; round += 1) {
      const { user, before, after } = await begin(auth);
      const answers = await Promise.all(
        (
          [
            [before, "email_change_current"],
            [after, "email_change_new"],
          ] as const
        ).map(([email, kind]) =>
          auth.call("POST", "/verify", {
            body: { type: "email_change", token_hash: readMail(auth, email, kind).hash },
          }),
        ),
      );
      const halves = answers.filter(({ body }) => (body as { msg?: string }).msg === HALF.msg);
      assert.equal(halves.length, 1);
      assert.equal((await findPerson(auth, after)).id, user.id);
    }
  });

  it("needs only the new address when AUTH_SECURE_EMAIL_CHANGE is off", async (t) => {
    const simple = await createAuthContext(t, { settings: { authAutoconfirm: false, authSecureEmailChange: false } });
    const { user, before, after } = await begin(simple);
    assert.equal(
      simple.mails.some(({ to, kind }) => to === before && kind === "email_change_current"),
      false,
    );
    const { code } = readMail(simple, after, "email_change_new");
    sessionOf(await simple.call("POST", "/verify", { body: { type: "email_change", email: after, token: code } }));
    assert.equal((await findPerson(simple, after)).id, user.id);
  });

  it("gives an anonymous user an address and makes the account permanent", async () => {
    const anonymous = sessionOf(await auth.call("POST", "/signup", { body: {} }));
    await auth.call("PUT", "/user", { token: anonymous.access_token, body: { email: "found@example.com" } });
    const { code } = readMail(auth, "found@example.com", "email_change_new");
    const session = sessionOf(
      await auth.call("POST", "/verify", { body: { type: "email_change", email: "found@example.com", token: code } }),
    );
    assert.equal(claimsOf(session).sub, claimsOf(anonymous).sub);
    const user = await findPerson(auth, "found@example.com");
    assert.deepEqual([user.is_anonymous, user.app_metadata["provider"]], [false, "email"]);
  });

  it("to one address from two accounts is applied to the account of the code", async () => {
    const first = await begin(auth, "shared@example.com");
    const second = await begin(auth, "shared@example.com");
    for (const { before } of [first, second]) {
      await auth.call("POST", "/verify", {
        body: { type: "email_change", token_hash: readMail(auth, before, "email_change_current").hash },
      });
    }
    const codes = auth.mails
      .filter(({ to, kind }) => to === "shared@example.com" && kind === "email_change_new")
      .map(({ values }) => values.code ?? "");
    assert.equal(codes.length, 2);
    const session = sessionOf(
      await auth.call("POST", "/verify", {
        body: { type: "email_change", email: "shared@example.com", token: codes[0] },
      }),
    );
    assert.equal(claimsOf(session).sub, first.user.id);
    await assert.rejects(
      auth.call("POST", "/verify", { body: { type: "email_change", email: "shared@example.com", token: codes[1] } }),
      expired,
    );
  });
});
