import assert from "node:assert/strict";
import { test } from "node:test";
import { watchFirstStart } from "../../src/auth/index.ts";
import { createAuthContext } from "./support/auth-context.ts";

const ACCOUNT = { email: "ada@example.com", password: "correct horse battery" };

test("the first start ends with the first account, also on other nodes", async (t) => {
  const { context, call } = await createAuthContext(t);
  const [here, elsewhere] = [watchFirstStart(context), watchFirstStart(context)];
  assert.equal(await here(), true);
  await call("POST", "/signup", { body: ACCOUNT });
  assert.deepEqual([await here(), await elsewhere()], [false, false]);
});

test("a service without sign-up has no first start", async (t) => {
  const { context } = await createAuthContext(t, { settings: { authSignupEnabled: false } });
  assert.equal(await watchFirstStart(context)(), false);
});

test("a question that the database could not answer does not end the first start", async (t) => {
  const { context, database } = await createAuthContext(t);
  const isFirstStart = watchFirstStart(context);
  await database.owner.query("alter table auth.users rename to users_away");
  assert.equal(await isFirstStart(), false);
  await database.owner.query("alter table auth.users_away rename to users");
  assert.equal(await isFirstStart(), true);
});
