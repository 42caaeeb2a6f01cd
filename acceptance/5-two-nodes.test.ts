import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { newEmail, ok, openAdmin, openClient, PASSWORD, signInAgain, signUpNew } from "./support/clients.ts";
import { NEEDS_OWN_SERVICE } from "./support/given-service.ts";
import { startSecondNode } from "./support/second-node.ts";
import { runCommand, type Service, startOwnService } from "./support/service.ts";
import { QUICK_HASHES } from "./support/settings.ts";
import { readToken } from "./support/tokens.ts";

let a: Service;
let b: Service;

/** The status of `GET /user` on this node with this token. */
async function statusOn(node: Service, token: string): Promise<number> {
  const { status } = await node.request("/auth/v1/user", {
    headers: { apikey: node.credentials.anon_key, authorization: `Bearer ${token}` },
  });
  return status;
}

describe("5 two nodes on one database", { skip: NEEDS_OWN_SERVICE }, () => {
  before(async () => {
    a = await startOwnService(QUICK_HASHES);
    b = await startSecondNode(a, QUICK_HASHES);
  });
  after(async () => {
    await b?.stop();
    await a?.stop();
  });

  test("5.1 two nodes accept the same client keys", async () => {
    assert.equal(a.credentials.anon_key, b.credentials.anon_key);
    assert.equal(a.credentials.service_role_key, b.credentials.service_role_key);
    assert.notEqual(a.credentials.url, b.credentials.url);
  });

  test("5.6 a session that started on one node is valid on the other", async () => {
    const { email, session } = await signUpNew(a);
    assert.equal(await statusOn(b, session.access_token), 200);
    const { session: there } = await signInAgain(b, email);
    assert.equal(await statusOn(a, there.access_token), 200);
    assert.equal(ok(await openClient(b).auth.getClaims(session.access_token))?.claims.sub, session.user.id);
  });

  test("5.4 a refresh token of one node can be used on the other", async () => {
    const { session } = await signUpNew(a);
    let refreshToken = session.refresh_token;
    for (const node of [b, a, b]) {
      const { session: next } = ok(await openClient(node).auth.refreshSession({ refresh_token: refreshToken }));
      assert.ok(next);
      assert.notEqual(next.refresh_token, refreshToken);
      for (const other of [a, b]) assert.equal(await statusOn(other, next.access_token), 200);
      refreshToken = next.refresh_token;
    }
  });

  test("5.4 tabs that refresh on both nodes at once end with the same refresh token", async () => {
    const { session } = await signUpNew(a);
    const nodes = Array.from({ length: 8 }, (_, index) => (index % 2 === 0 ? a : b));
    const sessions = await Promise.all(
      nodes.map(async (node) => ok(await openClient(node).auth.refreshSession(session)).session),
    );
    assert.equal(new Set(sessions.map((refreshed) => refreshed?.refresh_token)).size, 1);
  });

  test("5.7 a sign-out on one node takes effect on the other with the next request", async () => {
    for (const [here, there] of [
      [a, b],
      [b, a],
    ] as const) {
      const { client, session } = await signUpNew(here);
      assert.equal(await statusOn(there, session.access_token), 200, "which has verified it by now");
      assert.equal((await client.auth.signOut()).error, null);
      assert.equal(await statusOn(there, session.access_token), 401);
      assert.equal((await openClient(there).auth.refreshSession(session)).error?.code, "refresh_token_not_found");
    }
  });

  test("5.7 a sign-out of other sessions, a new password, a ban and a deletion take effect on the other node with the next request", async () => {
    const { email, client, session } = await signUpNew(a);
    const { session: other } = await signInAgain(b, email);
    assert.equal(await statusOn(b, other.access_token), 200);
    assert.equal((await client.auth.signOut({ scope: "others" })).error, null);
    assert.deepEqual([await statusOn(b, other.access_token), await statusOn(b, session.access_token)], [401, 200]);

    const { session: second } = await signInAgain(b, email);
    ok(await client.auth.updateUser({ password: "a new password" }));
    assert.deepEqual([await statusOn(b, second.access_token), await statusOn(b, session.access_token)], [401, 200]);
    const old = await openClient(b).auth.signInWithPassword({ email, password: PASSWORD });
    assert.equal(old.error?.code, "invalid_credentials");

    ok(await openAdmin(a).auth.admin.updateUserById(session.user.id, { ban_duration: "1h" }));
    assert.equal(await statusOn(b, session.access_token), 401);
    const banned = await openClient(b).auth.signInWithPassword({ email, password: "a new password" });
    assert.equal(banned.error?.code, "user_banned");

    const { session: gone } = await signUpNew(b);
    assert.equal(await statusOn(b, gone.access_token), 200);
    ok(await openAdmin(a).auth.admin.deleteUser(gone.user.id));
    assert.equal(await statusOn(b, gone.access_token), 401);
  });

  test("5.2 of two simultaneous sign-ups with one address on two nodes, one creates the account", async () => {
    const email = newEmail();
    const outcomes = await Promise.all(
      [a, b, a, b].map((node) => openClient(node).auth.signUp({ email, password: PASSWORD })),
    );
    const refusals = outcomes.flatMap(({ error }) => (error === null ? [] : [error.code]));
    assert.deepEqual(refusals, ["user_already_exists", "user_already_exists", "user_already_exists"]);
  });

  test("5.4 tokens of the old and the new signing key verify on both nodes after a rotation", async () => {
    const { session } = await signUpNew(a);
    const { kid } = readToken(session.access_token).header;
    await runCommand(a, ["keys", "rotate", "signing"]);
    for (const node of [a, b]) assert.equal(await statusOn(node, session.access_token), 200);
    // A third node, started now, signs with the new key, which the other two have not seen yet.
    const c = await startSecondNode(a, QUICK_HASHES);
    try {
      const { session: fresh } = await signUpNew(c);
      assert.notEqual(readToken(fresh.access_token).header["kid"], kid);
      for (const node of [a, b]) assert.equal(await statusOn(node, fresh.access_token), 200);
    } finally {
      await c.stop();
    }
  });
});
