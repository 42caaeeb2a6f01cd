import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { decodeJwt } from "jose";
import { decideRefresh } from "../../src/auth/sessions/refresh-session.ts";
import { SeenRefreshes } from "../../src/auth/sessions/seen-refreshes.ts";
import { decodeRefreshToken, encodeRefreshToken } from "../../src/auth/tokens/refresh-token.ts";
import { AppError } from "../../src/errors/index.ts";
import { createAuthContext, type TestAuthContext } from "./support/auth-context.ts";
import { getUser, onNode, refresh, signIn, signUp } from "./support/accounts.ts";
import { silentObserver } from "../support/silent-observer.ts";
import { rejection } from "./support/rejection.ts";

const notFound = rejection(400, "refresh_token_not_found");

test("a refresh returns a new refresh token and a new access token of the same session", async (t) => {
  const auth = await createAuthContext(t);
  const first = await signUp(auth, "ada@example.com");
  auth.clock.advance(1_000_000);
  const second = await refresh(auth, first.refresh_token);
  assert.notEqual(second.refresh_token, first.refresh_token);
  const [before, after] = [decodeJwt(first.access_token), decodeJwt(second.access_token)];
  assert.equal(after["session_id"], before["session_id"]);
  assert.deepEqual(after["amr"], before["amr"]);
  assert.ok((after.exp ?? 0) >= (before.exp ?? 0) + 1000);
  assert.equal(second.user.id, first.user.id);
  await getUser(auth, second.access_token);
  assert.equal(await readCounter(auth), "1");
});

test("while the response to a refresh may be lost, the previous refresh token returns the current one, however late", async (t) => {
  const auth = await createAuthContext(t);
  const first = await signUp(auth, "ada@example.com");
  const second = await refresh(auth, first.refresh_token);
  auth.clock.advance(7 * 24 * 3_600_000);
  const again = await refresh(auth, first.refresh_token);
  assert.equal(again.refresh_token, second.refresh_token);
  assert.equal(await readCounter(auth), "1");
  await refresh(auth, second.refresh_token);
});

test("the previous refresh token ends the session when the current access token was used and the reuse window is over", async (t) => {
  const auth = await createAuthContext(t);
  const { refresh_token: stolen } = await signUp(auth, "ada@example.com");
  const other = await signIn(auth, "ada@example.com");
  const owner = await refresh(auth, stolen);
  await getUser(auth, owner.access_token);
  await auth.context.seenRefreshes.flush();
  // Another tab of an honest client.
  auth.clock.advance(9_000);
  assert.equal((await refresh(auth, stolen)).refresh_token, owner.refresh_token);
  auth.clock.advance(2_000);
  await assert.rejects(refresh(auth, stolen), rejection(400, "refresh_token_already_used"));
  await assert.rejects(refresh(auth, owner.refresh_token), notFound);
  await assert.rejects(getUser(auth, owner.access_token), rejection(401, "session_not_found"));
  const { rows } = await auth.database.owner.query(
    "select action, user_id, session_id, host(ip) as ip from auth.audit_log_entries",
  );
  const sessionId = decodeJwt(owner.access_token)["session_id"];
  assert.deepEqual(rows, [
    { action: "refresh_token_reused", user_id: owner.user.id, session_id: sessionId, ip: "127.0.0.1" },
  ]);
  await refresh(auth, other.refresh_token);
});

test("an access token of an earlier refresh does not prove that the current one has arrived", async (t) => {
  const auth = await createAuthContext(t);
  const first = await signUp(auth, "ada@example.com");
  const second = await refresh(auth, first.refresh_token);
  const third = await refresh(auth, second.refresh_token);
  for (const { access_token: token } of [first, second]) await getUser(auth, token);
  await auth.context.seenRefreshes.flush();
  auth.clock.advance(60_000);
  assert.equal((await refresh(auth, second.refresh_token)).refresh_token, third.refresh_token);
});

test("with AUTH_REFRESH_PREVIOUS=always the previous refresh token stays valid", async (t) => {
  const auth = await createAuthContext(t, { settings: { authRefreshPrevious: "always" } });
  const first = await signUp(auth, "ada@example.com");
  const second = await refresh(auth, first.refresh_token);
  await getUser(auth, second.access_token);
  await auth.context.seenRefreshes.flush();
  auth.clock.advance(3_600_000);
  assert.equal((await refresh(auth, first.refresh_token)).refresh_token, second.refresh_token);
});

test("the use of an access token is written once, also by concurrent requests, and tried again behind a lock", async (t) => {
  const auth = await createAuthContext(t);
  const { seenRefreshes } = auth.context;
  const first = await signUp(auth, "ada@example.com");
  const second = await refresh(auth, first.refresh_token);
  const readSeen = async (): Promise<readonly [seen: unknown, version: unknown]> => {
    const { rows } = await auth.database.owner.query(
      "select seen_refresh_counter as seen, xmin::text as version from auth.sessions",
    );
    return [rows[0].seen, rows[0].version];
  };
  await auth.database.owner.query("begin");
  await auth.database.owner.query("select from auth.sessions for update");
  await Promise.all(Array.from({ length: 20 }, () => getUser(auth, second.access_token)));
  await seenRefreshes.flush();
  await auth.database.owner.query("commit");
  assert.equal((await readSeen())[0], "0");
  await seenRefreshes.flush();
  const written = await readSeen();
  assert.equal(written[0], "1");
  const otherNode = new SeenRefreshes(auth.context.pool, silentObserver);
  otherNode.note(decodeJwt(second.access_token));
  await otherNode.flush();
  assert.deepEqual(await readSeen(), written);
});

test("an older refresh token returns the current one shortly after a refresh; later it ends the session", async (t) => {
  const auth = await createAuthContext(t);
  const first = await signUp(auth, "ada@example.com");
  const other = await signIn(auth, "ada@example.com");
  const second = await refresh(auth, first.refresh_token);
  const third = await refresh(auth, second.refresh_token);
  auth.clock.advance(4_000);
  assert.equal((await refresh(auth, first.refresh_token)).refresh_token, third.refresh_token);
  auth.clock.advance(7_000);
  await assert.rejects(refresh(auth, first.refresh_token), rejection(400, "refresh_token_already_used"));
  await assert.rejects(refresh(auth, third.refresh_token), notFound);
  await assert.rejects(getUser(auth, third.access_token), rejection(401, "session_not_found"));
  await refresh(auth, other.refresh_token);
});

test("concurrent refreshes with one token advance once and all get the same token", async (t) => {
  const auth = await createAuthContext(t);
  const { refresh_token: token } = await signUp(auth, "ada@example.com");
  const answers = await Promise.all(Array.from({ length: 50 }, () => refresh(auth, token)));
  assert.equal(new Set(answers.map(({ refresh_token: given }) => given)).size, 1);
  assert.equal(await readCounter(auth), "1");
  for (const { access_token: accessToken } of answers.slice(0, 5)) await getUser(auth, accessToken);
  await refresh(auth, answers[0]!.refresh_token);
});

test("tabs that refresh concurrently stay signed in", async (t) => {
  const auth = await createAuthContext(t);
  let tokens = Array.from({ length: 6 }, () => "");
  const { refresh_token: first } = await signUp(auth, "ada@example.com");
  tokens = tokens.map(() => first);
  for (let round = 1; round <= 5; round += 1) {
    const answers = await Promise.all(tokens.map((token) => refresh(auth, token)));
    // Half of the tabs lose the response and send the old token again.
    tokens = tokens.map((token, tab) => (tab % 2 === 0 ? answers[tab]!.refresh_token : token));
    auth.clock.advance(4_000);
  }
  await refresh(auth, tokens[0]!);
});

test("a refresh decides on the locked row", async (t) => {
  const auth = await createAuthContext(t);
  const { refresh_token: token } = await signUp(auth, "ada@example.com");
  const { owner } = auth.database;
  await owner.query("begin");
  await owner.query("update auth.sessions set refresh_counter = 5, refreshed_at = now()");
  const refreshing = refresh(auth, token);
  await untilSomebodyWaits(auth);
  await owner.query("commit");
  assert.equal(decodeRefreshToken((await refreshing).refresh_token)?.counter, 5n);
  assert.equal(await readCounter(auth), "5");
});

test("a sign-out concurrent to a refresh wins", async (t) => {
  const auth = await createAuthContext(t);
  const session = await signUp(auth, "ada@example.com");
  const [, refreshed] = await Promise.allSettled([
    auth.call("POST", "/logout", { token: session.access_token }),
    refresh(auth, session.refresh_token),
  ]);
  if (refreshed.status === "fulfilled") {
    await assert.rejects(refresh(auth, refreshed.value.refresh_token), notFound);
    await assert.rejects(getUser(auth, refreshed.value.access_token), rejection(401, "session_not_found"));
  } else {
    notFound(refreshed.reason);
  }
});

test("forged refresh tokens are rejected and do not change the session", async (t) => {
  const auth = await createAuthContext(t);
  const session = await signUp(auth, "ada@example.com");
  const other = await signIn(auth, "ada@example.com");
  const { sessionId } = decodeRefreshToken(session.refresh_token)!;
  const otherKey = Buffer.alloc(32, 7);
  for (const counter of [0n, 1n, 5n, 2n ** 62n]) {
    await assert.rejects(refresh(auth, encodeRefreshToken({ sessionId, counter }, otherKey)), notFound);
  }
  const swapped = { ...decodeRefreshToken(other.refresh_token)!, sessionId };
  await assert.rejects(refresh(auth, encodeRefreshToken(swapped, otherKey)), notFound);
  const nowhere = { sessionId: "00000000-0000-4000-8000-000000000000", counter: 0n };
  await assert.rejects(refresh(auth, encodeRefreshToken(nowhere, otherKey)), notFound);
  await refresh(auth, session.refresh_token);
});

test("invalid refresh tokens are rejected", async (t) => {
  const auth = await createAuthContext(t);
  const { access_token: accessToken, refresh_token: token } = await signUp(auth, "ada@example.com");
  const flipped = `${token.slice(0, 20)}${token[20] === "A" ? "B" : "A"}${token.slice(21)}`;
  for (const text of [
    accessToken,
    "x",
    token.slice(0, -1),
    `${token}A`,
    flipped,
    "x".repeat(1_000_000),
    "../..",
    "💥",
  ]) {
    await assert.rejects(refresh(auth, text), notFound, text.slice(0, 50));
  }
  const ask = (body: unknown) => auth.call("POST", "/token", { query: { grant_type: "refresh_token" }, body });
  await assert.rejects(ask({}), rejection(400, "validation_failed", /refresh_token required/));
  await assert.rejects(ask({ refresh_token: 7 }), rejection(400, "validation_failed", /^refresh_token/));
  await assert.rejects(ask({ refresh_token: `${token}\0` }), rejection(400, "validation_failed"));
  await refresh(auth, token);
});

test("a session ends with its time box, whatever refreshes it had", async (t) => {
  const auth = await createAuthContext(t, { settings: { authSessionTtlSeconds: 3600 } });
  const first = await signUp(auth, "ada@example.com");
  auth.clock.advance(3_000_000);
  const second = await refresh(auth, first.refresh_token);
  auth.clock.advance(601_000);
  await assert.rejects(refresh(auth, second.refresh_token), rejection(400, "session_expired"));
  assert.equal(await countSessions(auth), 0);
  await assert.rejects(refresh(auth, second.refresh_token), notFound);
});

test("a session ends after the inactivity limit", async (t) => {
  const auth = await createAuthContext(t, { settings: { authSessionIdleTtlSeconds: 600 } });
  let session = await signUp(auth, "ada@example.com");
  for (let round = 0; round < 3; round += 1) {
    auth.clock.advance(590_000);
    session = await refresh(auth, session.refresh_token);
  }
  auth.clock.advance(601_000);
  await assert.rejects(refresh(auth, session.refresh_token), rejection(400, "session_expired"));
  assert.equal(await countSessions(auth), 0);
});

test("a refresh of a banned or deleted user is rejected and ends the session", async (t) => {
  const auth = await createAuthContext(t);
  const banned = await signUp(auth, "ada@example.com");
  await auth.database.owner.query("update auth.users set banned_until = now() + interval '1 hour'");
  await assert.rejects(refresh(auth, banned.refresh_token), rejection(400, "user_banned"));
  assert.equal(await countSessions(auth), 0);
  const deleted = await signUp(auth, "eve@example.com");
  await auth.database.owner.query("update auth.users set deleted_at = now()");
  await assert.rejects(refresh(auth, deleted.refresh_token), notFound);
  assert.equal(await countSessions(auth), 0);
});

test("an internal error of a refresh is never a 4xx, which would sign the client out", async (t) => {
  const auth = await createAuthContext(t);
  const { refresh_token: token } = await signUp(auth, "ada@example.com");
  const away = Object.assign(Object.create(auth.context.pool) as TestAuthContext["context"]["pool"], {
    connect: () => Promise.reject(Object.assign(new Error("rejected"), { code: "ECONNREFUSED" })),
  });
  await assert.rejects(
    refresh(onNode(auth, { pool: away }), token),
    (error) => error instanceof AppError && error.status === 503,
  );
  // A master key that cannot decrypt the stored keys.
  await assert.rejects(
    refresh(onNode(auth, { masterKey: "another master key that is long enough" }), token),
    (error) => !(error instanceof AppError) || error.status >= 500,
  );
  await refresh(auth, token);
});

test("decideRefresh is consistent for any counters and times", () => {
  const anyInput = fc.record({
    counter: fc.bigInt({ min: 0n, max: 50n }),
    presented: fc.bigInt({ min: 0n, max: 60n }),
    agoMs: fc.integer({ min: -5_000, max: 30_000 }),
    reuseSeconds: fc.integer({ min: 0, max: 20 }),
    isSeen: fc.boolean(),
    isPreviousAlwaysAccepted: fc.boolean(),
  });
  fc.assert(
    fc.property(anyInput, ({ agoMs, ...given }) => {
      const { counter, presented, reuseSeconds, isSeen, isPreviousAlwaysAccepted } = given;
      const now = new Date(1_000_000_000);
      const input = { ...given, now, refreshedAt: new Date(now.getTime() - agoMs) };
      const behind = counter - presented;
      const expected =
        behind < 0n
          ? "impossible"
          : behind === 0n
            ? "advance"
            : (behind === 1n && (!isSeen || isPreviousAlwaysAccepted)) || agoMs <= reuseSeconds * 1000
              ? "repeat"
              : "reuse";
      assert.equal(decideRefresh(input), expected);
    }),
  );
});

async function untilSomebodyWaits({ context }: TestAuthContext): Promise<void> {
  for (;;) {
    const { rows } = await context.pool.query(
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    if (rows.length > 0) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function readCounter({ database }: TestAuthContext): Promise<string | undefined> {
  const { rows } = await database.owner.query<{ refresh_counter: string }>("select refresh_counter from auth.sessions");
  return rows[0]?.refresh_counter;
}

async function countSessions({ database }: TestAuthContext): Promise<number> {
  const { rows } = await database.owner.query<{ count: number }>("select count(*)::int as count from auth.sessions");
  return rows[0]!.count;
}
