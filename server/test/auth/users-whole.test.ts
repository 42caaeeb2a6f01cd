import assert from "node:assert/strict";
import { test } from "node:test";
import { selectLiveUser } from "../../src/auth/sql/liveness.ts";
import { findUserByEmail, selectWholeUser } from "../../src/auth/sql/users.ts";
import { createAuthContext } from "./support/auth-context.ts";

test("a user read with the session is the same as one read in three statements", async (t) => {
  const { context, call } = await createAuthContext(t, { settings: { authAutoconfirm: true } });
  const email = "whole@example.com";
  const { body } = await call("POST", "/signup", { body: { email, password: "correct horse" } });
  const token = (body as { access_token: string }).access_token;
  await call("POST", "/factors", { body: { factor_type: "totp", friendly_name: "phone" }, token });
  await context.pool.query("update auth.mfa_factors set last_used_step = 7");
  await context.pool.query("update auth.users set banned_until = now() + interval '1 day'");

  const row = await findUserByEmail(context.pool, email);
  assert.ok(row !== null);
  const find = (userId: string) =>
    selectLiveUser(context.pool, { userId, sessionId: null, now: new Date(), inactivitySeconds: 0 });
  const { user: whole } = (await find(row.id)) ?? {};
  assert.deepEqual(
    JSON.parse(JSON.stringify(whole)),
    JSON.parse(JSON.stringify(await selectWholeUser(context.pool, row))),
  );
  assert.equal(whole?.identities.length, 1);
  assert.ok(whole?.factors[0]?.secret_wrapped instanceof Buffer);
  assert.equal(await find("00000000-0000-7000-8000-000000000000"), null);
});
