import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import pg from "pg";
import { requireLiveSession, requireSecondFactor, translateScopeError } from "../../src/auth/principal/live-session.ts";
import { buildScope, type TransactionScope } from "../../src/db/index.ts";
import { AppError } from "../../src/errors/index.ts";
import { openTokenContext, type TokenContext } from "./token-context.ts";

let context: TokenContext;
let login: pg.Client;
const closers: (() => Promise<void>)[] = [];
before(async () => {
  context = await openTokenContext({ after: (close) => closers.unshift(close) });
  login = new pg.Client({ connectionString: context.database.url("sb_user") });
  await login.connect();
  closers.unshift(() => login.end());
});
after(async () => {
  for (const close of closers) await close();
});

interface Person {
  readonly userId: string;
  readonly sessionId: string | null;
}

async function addPerson(): Promise<Person & { sessionId: string }> {
  const userId = await context.addUser();
  const sessionId = randomUUID();
  await context.database.owner.query(
    "insert into auth.sessions (id, user_id, refresh_key_wrapped, refreshed_at) values ($1, $2, '', now())",
    [sessionId, userId],
  );
  return { userId, sessionId };
}

function scopeOf({ userId, sessionId }: Person, inactivitySeconds: number): TransactionScope {
  return {
    role: "authenticated",
    claims: { sub: userId, role: "authenticated" },
    schemas: ["public"],
    statementTimeoutMs: 8000,
    isReadOnly: true,
    session: { userId, sessionId, inactivitySeconds },
    request: { method: "GET", path: "/", headers: {} },
  };
}

/** As a table request does: sends both statements before the first response arrives. */
async function enter(person: Person, inactivitySeconds = 0): Promise<string> {
  const { text, values } = buildScope(scopeOf(person, inactivitySeconds));
  await login.query("begin");
  const entering = login.query(text, [...values]);
  const working = login.query<{ id: string }>("select auth.uid() as id, current_user as role");
  const [entered, worked] = await Promise.allSettled([entering, working]);
  await login.query("rollback");
  if (entered.status === "fulfilled" && worked.status === "fulfilled") {
    assert.deepEqual(worked.value.rows, [{ id: person.userId, role: "authenticated" }]);
    return "alive";
  }
  assert.equal(worked.status, "rejected", "nothing runs in the name of a dead session");
  assert.ok(entered.status === "rejected");
  return codeOf(translateScopeError(entered.reason));
}

/** As an endpoint for users does. */
async function ask(person: Person, inactivitySeconds = 0): Promise<string> {
  const settings = { authSessionIdleTtlSeconds: inactivitySeconds };
  const clock = { now: () => new Date() };
  const { userId, sessionId } = person;
  const principal = { userId, session: { userId, sessionId, inactivitySeconds } };
  return requireLiveSession({ pool: context.pool, clock, settings }, principal).then(() => "alive", codeOf);
}

function codeOf(error: unknown): string {
  assert.ok(error instanceof AppError, String(error));
  assert.equal(error.status, 401);
  assert.equal(error.code, "UNAUTHORIZED");
  return String(error.extra.members?.["error_code"]);
}

const ownerRuns = (text: string, values: unknown[]) => context.database.owner.query(text, values);

for (const [name, check] of [
  ["the enter statement", enter],
  ["the question of an endpoint", ask],
] as const) {
  describe(name, () => {
    it("accepts a live session", async () => {
      assert.equal(await check(await addPerson()), "alive");
    });

    it("accepts a session only with its own user", async () => {
      const [one, other] = [await addPerson(), await addPerson()];
      assert.equal(await check({ userId: one.userId, sessionId: other.sessionId }), "session_not_found");
      assert.equal(await check({ userId: one.userId, sessionId: randomUUID() }), "session_not_found");
      assert.equal(await check({ userId: randomUUID(), sessionId: one.sessionId }), "user_not_found");
    });

    it("rejects a session after the sign-out", async () => {
      const person = await addPerson();
      await ownerRuns("delete from auth.sessions where id = $1", [person.sessionId]);
      assert.equal(await check(person), "session_not_found");
    });

    it("rejects an expired session", async () => {
      const person = await addPerson();
      await ownerRuns("update auth.sessions set not_after = now() + interval '1 hour' where id = $1", [
        person.sessionId,
      ]);
      assert.equal(await check(person), "alive");
      await ownerRuns("update auth.sessions set not_after = now() - interval '1 second' where id = $1", [
        person.sessionId,
      ]);
      assert.equal(await check(person), "session_not_found");
    });

    it("rejects an idle session where inactivity is limited", async () => {
      const person = await addPerson();
      await ownerRuns("update auth.sessions set refreshed_at = now() - interval '100 seconds' where id = $1", [
        person.sessionId,
      ]);
      assert.equal(await check(person, 0), "alive");
      assert.equal(await check(person, 120), "alive");
      assert.equal(await check(person, 90), "session_not_found");
      await ownerRuns(
        "update auth.sessions set refreshed_at = null, created_at = now() - interval '100 seconds' where id = $1",
        [person.sessionId],
      );
      assert.equal(await check(person, 90), "session_not_found");
    });

    it("rejects a banned user until the ban ends", async () => {
      const person = await addPerson();
      await ownerRuns("update auth.users set banned_until = now() + interval '1 hour' where id = $1", [person.userId]);
      assert.equal(await check(person), "user_banned");
      await ownerRuns("update auth.users set banned_until = 'infinity' where id = $1", [person.userId]);
      assert.equal(await check(person), "user_banned");
      await ownerRuns("update auth.users set banned_until = now() - interval '1 second' where id = $1", [
        person.userId,
      ]);
      assert.equal(await check(person), "alive");
    });

    it("rejects a deleted user, soft or hard", async () => {
      const [soft, hard] = [await addPerson(), await addPerson()];
      await ownerRuns("update auth.users set deleted_at = now() where id = $1", [soft.userId]);
      await ownerRuns("delete from auth.users where id = $1", [hard.userId]);
      assert.equal(await check(soft), "user_not_found");
      assert.equal(await check(hard), "user_not_found");
    });

    it("checks only the user where a token has no session", async () => {
      const person = await addPerson();
      assert.equal(await check({ userId: person.userId, sessionId: null }), "alive");
      assert.equal(await check({ userId: randomUUID(), sessionId: null }), "user_not_found");
    });
  });
}

describe("a session of a user with a verified second factor", () => {
  const DEMANDED = { isAal2Required: true };

  async function addFactor({ userId }: Person, status: "verified" | "unverified"): Promise<string> {
    const { rows } = await ownerRuns(
      "insert into auth.mfa_factors (user_id, factor_type, secret_wrapped, status) values ($1, 'totp', 'x', $2) returning id",
      [userId, status],
    );
    return rows[0].id;
  }

  /** Whether both checks agree that the session lacks the factor. */
  async function isRejected(
    person: Person,
    demands: { readonly isAal2Required: boolean } = DEMANDED,
  ): Promise<boolean> {
    const scope = scopeOf(person, 0);
    const { text, values } = buildScope({ ...scope, session: { ...scope.session!, ...demands } });
    const entered = await login.query(text, [...values]).then(
      () => "alive",
      (error: unknown) => insufficientOf(translateScopeError(error)),
    );
    const settings = { authSessionIdleTtlSeconds: 0 };
    const principal = { userId: person.userId, session: { ...scope.session!, ...demands } };
    const asked = await requireLiveSession(
      { pool: context.pool, clock: { now: () => new Date() }, settings },
      principal,
    )
      .then((liveness) => requireSecondFactor(principal, liveness))
      .then(() => "alive", insufficientOf);
    assert.equal(asked, entered);
    return entered !== "alive";
  }

  function insufficientOf(error: unknown): string {
    assert.ok(error instanceof AppError, String(error));
    assert.deepEqual([error.status, error.extra.members?.["error_code"]], [403, "insufficient_aal"]);
    return "insufficient_aal";
  }

  it("is rejected until it is aal2, whichever of the two begins first", async () => {
    const earlier = await addPerson();
    assert.equal(await isRejected(earlier), false);
    const factor = await addFactor(earlier, "unverified");
    assert.equal(await isRejected(earlier), false);
    await ownerRuns("update auth.mfa_factors set status = 'verified' where id = $1", [factor]);
    assert.equal(await isRejected(earlier), true);
    const later = { userId: earlier.userId, sessionId: randomUUID() };
    await ownerRuns("insert into auth.sessions (id, user_id, refresh_key_wrapped) values ($1, $2, '')", [
      later.sessionId,
      later.userId,
    ]);
    assert.equal(await isRejected(later), true);
    await ownerRuns("update auth.sessions set aal = 'aal2' where id = $1", [later.sessionId]);
    assert.equal(await isRejected(later), false);
    assert.equal(await isRejected(earlier), true, "the level of another session does not count");
    await ownerRuns("delete from auth.mfa_factors where id = $1", [factor]);
    assert.equal(await isRejected(earlier), false);
  });

  it("is accepted where the level is not enforced", async () => {
    const person = await addPerson();
    await addFactor(person, "verified");
    assert.equal(await isRejected(person, { isAal2Required: false }), false);
  });

  it("is required of tokens without a session too", async () => {
    const person = { userId: (await addPerson()).userId, sessionId: null };
    assert.equal(await isRejected(person), false);
    await addFactor(person, "verified");
    assert.equal(await isRejected(person), true);
  });
});

describe("private.require_live_session", () => {
  it("rejects sessions that were created during a ban", async () => {
    const { userId } = await addPerson();
    await ownerRuns("update auth.users set banned_until = now() + interval '1 hour' where id = $1", [userId]);
    const later = { userId, sessionId: randomUUID() };
    await ownerRuns("insert into auth.sessions (id, user_id, refresh_key_wrapped) values ($1, $2, '')", [
      later.sessionId,
      userId,
    ]);
    assert.equal(await enter(later), "user_banned");
    await ownerRuns("update auth.users set banned_until = null where id = $1", [userId]);
    assert.equal(await enter(later), "alive");
  });

  it("can be executed by the login roles only", async () => {
    const { rows } = await context.database.owner.query<{ name: string }>(
      `select r.rolname as name from pg_catalog.pg_roles r
       where has_function_privilege(r.oid, 'private.require_live_session(uuid, uuid, int)', 'execute') and not r.rolsuper
       order by 1`,
    );
    assert.deepEqual(
      rows.map(({ name }) => name),
      ["sb_service", "sb_user", "swarmbase_owner"],
    );
  });

  it("is part of every scope statement with a session and of no other", async () => {
    const person = await addPerson();
    const { session: _, ...without } = scopeOf(person, 0);
    assert.doesNotMatch(buildScope(without).text, /require_live_session/);
    const { text, values } = buildScope(scopeOf(person, 30));
    assert.deepEqual(new Set(text.match(/\$\d+/g)), new Set(values.map((_value, place) => `$${place + 1}`)));
    assert.deepEqual(values.slice(9), [person.userId, person.sessionId, "30"]);
  });

  it("leaves other errors unchanged", () => {
    for (const error of [new Error("x"), Object.assign(new Error("x"), { code: "SB001" }), "SB001", null]) {
      assert.equal(translateScopeError(error), error);
    }
  });
});
