import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { decodeJwt } from "jose";
import { getUser, signIn, signUp } from "./support/accounts.ts";
import { createAuthContext, type TestAuthContext } from "./support/auth-context.ts";
import { rejection } from "./support/rejection.ts";

interface ListedSession {
  readonly id: string;
  readonly is_current: boolean;
  readonly [name: string]: unknown;
}

async function list({ call }: Pick<TestAuthContext, "call">, token: string): Promise<readonly ListedSession[]> {
  const { status, body } = await call("GET", "/sessions", { token });
  assert.equal(status, 200);
  return (body as { sessions: readonly ListedSession[] }).sessions;
}

const idOf = (token: string): string => String(decodeJwt(token)["session_id"]);

test("GET /sessions lists the user's own sessions without credentials", async (t) => {
  const auth = await createAuthContext(t);
  const first = await signUp(auth, "ada@example.com");
  const second = await signIn(auth, "ada@example.com");
  await signUp(auth, "eve@example.com");
  const sessions = await list(auth, first.access_token);
  assert.deepEqual(
    new Map(sessions.map(({ id, is_current: isCurrent }) => [id, isCurrent])),
    new Map([
      [idOf(second.access_token), false],
      [idOf(first.access_token), true],
    ]),
  );
  const members = ["aal", "created_at", "id", "ip", "is_current", "last_seen_at", "user_agent"];
  for (const session of sessions) assert.deepEqual(Object.keys(session).toSorted(), members);
});

test("GET /sessions omits expired sessions", async (t) => {
  const auth = await createAuthContext(t, { settings: { authSessionIdleTtlSeconds: 3_600 } });
  const { access_token: token } = await signUp(auth, "ada@example.com");
  const over = await signIn(auth, "ada@example.com");
  const idle = await signIn(auth, "ada@example.com");
  const { owner } = auth.database;
  await owner.query("update auth.sessions set not_after = now() where id = $1", [idOf(over.access_token)]);
  await owner.query("update auth.sessions set refreshed_at = now() - interval '2 hours' where id = $1", [
    idOf(idle.access_token),
  ]);
  assert.deepEqual(
    (await list(auth, token)).map(({ id }) => id),
    [idOf(token)],
  );
});

test("DELETE /sessions/:id ends one session and keeps the others", async (t) => {
  const auth = await createAuthContext(t);
  const { access_token: token } = await signUp(auth, "ada@example.com");
  const other = await signIn(auth, "ada@example.com");
  const path = `/sessions/${idOf(other.access_token)}`;
  assert.equal((await auth.call("DELETE", path, { token })).status, 204);
  const refreshing = auth.call("POST", "/token", {
    query: { grant_type: "refresh_token" },
    body: { refresh_token: other.refresh_token },
  });
  await assert.rejects(refreshing, rejection(400, "refresh_token_not_found"));
  assert.equal((await getUser(auth, token)).email, "ada@example.com");
  await assert.rejects(auth.call("DELETE", path, { token }), rejection(404, "session_not_found"));
});

test("DELETE /sessions/:id returns the same error for a foreign and for an unknown session", async (t) => {
  const auth = await createAuthContext(t);
  const { access_token: token } = await signUp(auth, "ada@example.com");
  const eve = await signUp(auth, "eve@example.com");
  for (const id of [idOf(eve.access_token), randomUUID()])
    await assert.rejects(auth.call("DELETE", `/sessions/${id}`, { token }), rejection(404, "session_not_found"));
  await assert.rejects(auth.call("DELETE", "/sessions/1%20or%201", { token }), rejection(404, "validation_failed"));
  assert.equal((await getUser(auth, eve.access_token)).email, "eve@example.com");
});
