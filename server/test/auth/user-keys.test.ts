import assert from "node:assert/strict";
import { test } from "node:test";
import { pruneSessions } from "../../src/auth/sql/expired-rows.ts";
import { countUserKeys, deleteUserKey, deleteUserKeysOf, insertUserKey } from "../../src/auth/sql/user-keys.ts";
import { makeUserKey } from "../../src/auth/user-keys/key-format.ts";
import { CLIENT_ID, letProgramIn } from "../support/program-token.ts";
import { openTokenContext } from "./token-context.ts";

const FIRST_ID = "00000000-0000-0000-0000-000000000000";

test("a key is looked up once a minute, concurrent lookups share a statement, and malformed keys cost none", async (t) => {
  const context = await openTokenContext(t);
  const { pool, clock, userKeys } = context;
  const userId = await context.addUser();
  const made = [makeUserKey(), makeUserKey()];
  for (const { hash, prefix } of made)
    await insertUserKey(pool, {
      user_id: userId,
      name: "n",
      scopes: ["read"],
      resources: null,
      prefix,
      expires_at: null,
      hash,
      aal: "aal2",
    });
  const [one, other] = made.map(({ key }) => key);
  assert.ok(one !== undefined && other !== undefined);
  const before = context.readings();
  const principal = await userKeys.verify(one);
  assert.deepEqual([principal.userId, principal.scopes, principal.claims["aal"]], [userId, ["read"], "aal2"]);
  assert.equal(await userKeys.verify(one), principal, "the same object, so that its claims are serialised once");
  assert.equal(context.readings() - before, 1);
  clock.advance(61);
  await Promise.all(Array.from({ length: 20 }, () => userKeys.verify(one)).concat(userKeys.verify(other)));
  assert.ok(context.readings() - before <= 3);
  const later = context.readings();
  const malformed = [one.slice(0, -1), `${one}A`, one.replace(/.$/, (last) => (last === "A" ? "B" : "A")), "sk_"];
  for (const key of malformed) await assert.rejects(userKeys.verify(key), { code: "UNAUTHORIZED" });
  assert.equal(context.readings(), later);
  await assert.rejects(userKeys.verify(makeUserKey().key), { code: "UNAUTHORIZED" });

  // The uses of both keys are one write.
  await userKeys.flush();
  const { rows } = await context.database.owner.query("select last_used_at from public.api_keys");
  assert.deepEqual(
    rows.map(({ last_used_at: usedAt }) => usedAt),
    [clock.now(), clock.now()],
  );
});

test("keys do not end by inactivity, and expired ones are removed after the retention", async (t) => {
  const { pool, addUser, addSession, clock, database } = await openTokenContext(t);
  const userId = await addUser();
  await addSession(userId);
  const now = clock.now().getTime();
  for (const expires_at of [null, new Date(now - 1_000), new Date(now + 1_000)]) {
    const { hash, prefix } = makeUserKey();
    await insertUserKey(pool, {
      user_id: userId,
      name: "n",
      scopes: ["read"],
      resources: null,
      prefix,
      expires_at,
      hash,
      aal: "aal1",
    });
  }
  const future = new Date(Date.now() + 1_000_000);
  await pruneSessions(pool, { endedBefore: clock.now(), idleSince: future, afterId: FIRST_ID, maxRows: 100 });
  const { rows } = await database.owner.query(
    "select (select count(*)::integer from auth.sessions) as sessions, (select count(*)::integer from public.api_keys) as keys",
  );
  assert.deepEqual(rows, [{ sessions: 2, keys: 2 }]);
});

test("the token of a program ends with its own lifetime, with its session, and a minute after a refresh has replaced it", async (t) => {
  const { database, addUser, clock, userKeys, baseUrl } = await openTokenContext(t);
  const { owner } = database;
  const options = { userId: await addUser(), resource: `${baseUrl}/mcp`, refreshCounter: 2 };
  const inSeconds = (seconds: number): Date => new Date(clock.now().getTime() + seconds * 1000);
  const rejection = { code: "UNAUTHORIZED", message: /^The token of the program does not exist/ };

  const short = await letProgramIn(owner, { ...options, scopes: ["read"], expiresAt: inSeconds(30) });
  const principal = await userKeys.verify(short.token);
  const { api_key_id, client_id, refresh_counter, scopes, exp, amr } = principal.claims;
  assert.deepEqual(principal.client, { id: CLIENT_ID, resource: `${baseUrl}/mcp` });
  assert.deepEqual(
    { api_key_id, client_id, refresh_counter, scopes, exp, method: (amr as { method: string }[])[0]?.method },
    {
      api_key_id: short.sessionId,
      client_id: CLIENT_ID,
      refresh_counter: 2,
      scopes: ["read"],
      exp: inSeconds(30).getTime() / 1000,
      method: "oauth",
    },
  );
  clock.advance(31);
  await assert.rejects(userKeys.verify(short.token), rejection);

  const replaced = await letProgramIn(owner, { ...options, scopes: ["read"], expiresAt: inSeconds(3_600) });
  await userKeys.verify(replaced.token);
  await owner.query("update auth.sessions set api_key_hash = 'other' where id = $1", [replaced.sessionId]);
  clock.advance(61);
  await assert.rejects(userKeys.verify(replaced.token), rejection);

  // A row that is a program by one table alone is nobody.
  for (const change of [
    "update public.api_keys set client_id = null where id = $1",
    "update public.api_keys set client_id = 'another' where id = $1",
    "delete from auth.oauth_sessions where id = $1",
  ]) {
    const torn = await letProgramIn(owner, { ...options, scopes: ["read"], expiresAt: inSeconds(3_600) });
    await owner.query(change, [torn.sessionId]);
    await assert.rejects(userKeys.verify(torn.token), rejection, change);
  }
});

test("programs count for no limit of keys, and a request of a key finds none of them", async (t) => {
  const { database, pool, addUser, baseUrl } = await openTokenContext(t);
  const userId = await addUser();
  const { sessionId } = await letProgramIn(database.owner, { userId, resource: baseUrl, scopes: [] });
  assert.equal(await countUserKeys(pool, userId), 0);
  assert.equal(await deleteUserKey(pool, { id: sessionId, userId }), null);
  assert.equal(await deleteUserKey(pool, { id: sessionId, userId: null }), null);
  await deleteUserKeysOf(pool, userId);
  const { rows } = await database.owner.query("select from auth.oauth_sessions");
  assert.equal(rows.length, 0, "an account that is emptied keeps no program");
});
