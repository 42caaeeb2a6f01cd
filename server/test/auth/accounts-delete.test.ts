import assert from "node:assert/strict";
import { test } from "node:test";
import { assertRejected, openPerson } from "./mfa-person.ts";
import { signIn, signUp } from "./support/accounts.ts";
import { createAuthContext } from "./support/auth-context.ts";
import { rejection } from "./support/rejection.ts";

const MINUTE_MS = 60_000;

test("DELETE /user deletes the account of the token after a recent sign-in", async (t) => {
  const auth = await createAuthContext(t);
  const { access_token: token, user } = await signUp(auth, "ada@example.com");
  await signUp(auth, "eve@example.com");
  await auth.context.pool.query("insert into public.agents (user_id, name) values ($1, 'Ada')", [user.id]);
  await assert.rejects(auth.call("DELETE", "/user"), rejection(401, "no_authorization"));
  auth.clock.advance(11 * MINUTE_MS);
  await assert.rejects(auth.call("DELETE", "/user", { token }), rejection(403, "reauthentication_needed"));
  const { access_token: fresh } = await signIn(auth, "ada@example.com");
  assert.deepEqual(await auth.call("DELETE", "/user", { token: fresh }), { status: 204 });
  await assert.rejects(auth.call("DELETE", "/user", { token: fresh }), rejection(401, "user_not_found"));
  const left = await auth.database.owner.query("select email from auth.users");
  assert.deepEqual(left.rows, [{ email: "eve@example.com" }]);
  assert.deepEqual((await auth.database.owner.query("select id from public.agents")).rows, []);
});

test("DELETE /user needs the second factor of a user who has one", async (t) => {
  const person = await openPerson(t);
  const factor = await person.enrolVerified();
  person.stage.clock.advance(MINUTE_MS);
  const { access_token: token } = await person.signIn();
  await assertRejected(person.stage.call("DELETE", "/user", { token }), 401, "insufficient_aal");
  person.take(await person.signIn());
  await person.show(factor);
  assert.deepEqual(await person.stage.call("DELETE", "/user", { token: person.token }), { status: 204 });
});

test("DELETE /user takes no second factor that an old session has just enrolled for a sign-in", async (t) => {
  const person = await openPerson(t);
  person.stage.clock.advance(11 * MINUTE_MS);
  const factor = await person.enrolVerified();
  const remove = () => person.stage.call("DELETE", "/user", { token: person.token });
  await assertRejected(remove(), 403, "reauthentication_needed");
  person.enterNextStep();
  await person.show(factor);
  await assertRejected(remove(), 403, "reauthentication_needed");
});
