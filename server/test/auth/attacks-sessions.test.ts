import assert from "node:assert/strict";
import { createHash, createHmac, randomBytes } from "node:crypto";
import { describe, it } from "node:test";
import { AppError } from "../../src/errors/index.ts";
import { decodeRefreshToken, encodeRefreshToken } from "../../src/auth/tokens/refresh-token.ts";
import { newPerson, type Person, PASSWORD, type Tokens } from "./mfa-person.ts";
import { createAuthContext, type TestAuthContext } from "./support/auth-context.ts";
import { rejection } from "./support/rejection.ts";

type Outcome = PromiseSettledResult<unknown>;

/** 4xx errors are expected; a deadlock, a missing row or an impossible state would be a 5xx error. */
function checkNoFault(outcomes: readonly Outcome[]): void {
  for (const outcome of outcomes) {
    if (outcome.status === "fulfilled") continue;
    const { reason } = outcome;
    assert.ok(reason instanceof AppError && reason.status < 500, `${reason}`);
  }
}

async function countSessions({ database }: TestAuthContext, userId: string): Promise<number> {
  const sql = "select count(*)::int as count from auth.sessions where user_id = $1";
  return (await database.owner.query(sql, [userId])).rows[0].count;
}

async function checkDead(person: Person, tokens: Iterable<Tokens>): Promise<void> {
  for (const { access_token: token, refresh_token } of tokens) {
    await assert.rejects(person.stage.call("GET", "/user", { token }), rejection(401, "session_not_found"));
    await assert.rejects(person.refresh(refresh_token), rejection(400, "refresh_token_not_found"));
  }
}

describe("concurrency", () => {
  it("refreshes, sign-outs, codes and password changes at once cause no error, and the last sign-out wins", async (t) => {
    const stage = await createAuthContext(t);
    const person = await newPerson(stage);
    const factor = await person.enrolVerified();
    const seen: Tokens[] = [];
    let password = PASSWORD;
    for (let round = 0; round < 3; round += 1) {
      person.enterNextStep();
      const signIn = async () => {
        const body = { email: person.email, password };
        const answer = await stage.call("POST", "/token", { query: { grant_type: "password" }, body });
        return answer.body as Tokens;
      };
      const devices = await Promise.all([signIn(), signIn(), signIn()]);
      const [first, second, third] = devices;
      assert.ok(first && second && third);
      const stale = await person.refresh(first.refresh_token);
      const challenge = await person.challenge(factor.id, second.access_token);
      const next = `password of round ${round}`;
      const outcomes = await Promise.allSettled<Tokens | undefined>([
        ...devices.flatMap(({ refresh_token }) => [person.refresh(refresh_token), person.refresh(refresh_token)]),
        person.refresh(stale.refresh_token),
        person.verify(factor.id, challenge, person.code(factor), second.access_token),
        stage.call("POST", "/logout", { token: third.access_token, query: { scope: "others" } }).then(() => undefined),
        stage.call("POST", "/logout", { token: third.access_token, query: { scope: "local" } }).then(() => undefined),
        stage
          .call("PUT", "/user", { token: second.access_token, body: { password: next } })
          .then(() => {
            password = next;
          })
          .then(() => undefined),
        ...devices.map(({ refresh_token }) => person.refresh(refresh_token)),
      ]);
      checkNoFault(outcomes);
      seen.push(...devices);
      for (const outcome of outcomes) if (outcome.status === "fulfilled" && outcome.value) seen.push(outcome.value);

      person.take(await signIn());
      person.enterNextStep();
      await person.show(factor);
      await stage.call("POST", "/logout", { token: person.token, query: { scope: "global" } });
      assert.equal(await countSessions(stage, person.id), 0);
    }
    await checkDead(person, seen);
  });

  it("refreshes around a sign-out leave no live session", async (t) => {
    const stage = await createAuthContext(t);
    const person = await newPerson(stage);
    for (let round = 0; round < 3; round += 1) {
      const tokens = await person.signIn();
      const outcomes = await Promise.allSettled([
        ...Array.from({ length: 6 }, () => person.refresh(tokens.refresh_token)),
        stage.call("POST", "/logout", { token: tokens.access_token, query: { scope: "local" } }),
        ...Array.from({ length: 6 }, () => person.refresh(tokens.refresh_token)),
      ]);
      checkNoFault(outcomes);
      const given = outcomes.flatMap((outcome) => {
        const body = outcome.status === "fulfilled" ? (outcome.value as Tokens) : null;
        return body !== null && "refresh_token" in body ? [body] : [];
      });
      await checkDead(person, [tokens, ...given]);
    }
  });

  it("bans and deletions around sign-ins leave no live session", async (t) => {
    const stage = await createAuthContext(t);
    for (const end of ["ban", "soft", "hard"]) {
      const person = await newPerson(stage);
      const admin = { token: stage.serviceRoleKey };
      const finish = () =>
        end === "ban"
          ? stage.call("PUT", `/admin/users/${person.id}`, { ...admin, body: { ban_duration: "1h" } })
          : stage.call("DELETE", `/admin/users/${person.id}`, {
              ...admin,
              body: { should_soft_delete: end === "soft" },
            });
      const outcomes = await Promise.allSettled([
        ...Array.from({ length: 4 }, () => person.signIn()),
        finish(),
        ...Array.from({ length: 4 }, () => person.signIn()),
        person.refresh(),
      ]);
      checkNoFault(outcomes);
      assert.equal(await countSessions(stage, person.id), 0, end);
    }
  });
});

describe("a forged refresh token", () => {
  it("neither refreshes a session nor ends it", async (t) => {
    const stage = await createAuthContext(t);
    const person = await newPerson(stage);
    const other = await newPerson(stage);
    const mine = decodeRefreshToken(person.refreshToken);
    const theirs = decodeRefreshToken(other.refreshToken);
    assert.ok(mine && theirs);
    const { sessionId } = theirs;
    const resign = (tag: Buffer, counter: number): string => {
      const id = Buffer.from(sessionId.replaceAll("-", ""), "hex");
      const body = Buffer.concat([Buffer.of(0), id, Buffer.of(counter), tag]);
      return Buffer.concat([body, createHash("sha256").update(body).digest().subarray(0, 4)]).toString("base64url");
    };
    const forged = [
      ...[0n, 1n, 2n, 100n, 2n ** 63n - 1n].map((counter) =>
        encodeRefreshToken({ sessionId, counter }, randomBytes(32)),
      ),
      resign(mine.tag, 0),
      resign(Buffer.alloc(16), 0),
      // The token's counter is changed and its tag is kept.
      resign(theirs.tag, 5),
      resign(createHmac("sha256", "").update(sessionId).digest().subarray(0, 16), 0),
      other.refreshToken.slice(0, -1),
      `${other.refreshToken}A`,
      other.refreshToken.toLowerCase(),
      ` ${other.refreshToken}`,
      other.token,
    ];
    // Refreshed long ago, so that a genuine old token would end the session.
    await other.refresh();
    await other.refresh((await other.refresh()).refresh_token);
    stage.clock.advance(60_000);
    for (const token of forged) await assert.rejects(person.refresh(token), rejection(400, "refresh_token_not_found"));
    await stage.call("GET", "/user", { token: other.token });
    assert.equal(await countSessions(stage, other.id), 1);
  });

  it("is not possible with the highest counter", async (t) => {
    const stage = await createAuthContext(t);
    const person = await newPerson(stage);
    await stage.database.owner.query("update auth.sessions set refresh_counter = $1", [String(2n ** 63n - 2n)]);
    stage.clock.advance(60_000);
    await assert.rejects(person.refresh(), rejection(400, "refresh_token_already_used"));
    assert.equal(await countSessions(stage, person.id), 0);
  });
});

describe("the second factor", () => {
  it("is not bypassed by a refresh, another session or another sign-in method", async (t) => {
    const stage = await createAuthContext(t);
    const person = await newPerson(stage);
    const factor = await person.enrolVerified();
    const thief = await person.signIn();
    const refreshed = await person.refresh(thief.refresh_token);
    for (const { access_token: token } of [thief, refreshed]) {
      const low = rejection(401, "insufficient_aal");
      await assert.rejects(stage.call("PUT", "/user", { token, body: { password: "of the thief" } }), low);
      await assert.rejects(stage.call("PUT", "/user", { token, body: { email: "thief@example.com" } }), low);
      await assert.rejects(stage.call("DELETE", `/factors/${factor.id}`, { token }), low);
      await assert.rejects(person.enrol("thief", token), low);
    }
    const stranger = await newPerson(stage);
    const own = await stranger.enrol();
    const challenge = await stranger.challenge(own.id);
    const code = person.code(factor, 1);
    const unknown = rejection(404, "mfa_factor_not_found");
    await assert.rejects(stranger.verify(factor.id, challenge, code), unknown);
    await assert.rejects(person.verify(factor.id, challenge, code, thief.access_token), unknown);
    await assert.rejects(stranger.challenge(factor.id), unknown);
  });

  it("allows no more guesses with concurrent challenges", async (t) => {
    const stage = await createAuthContext(t);
    const person = await newPerson(stage);
    const factor = await person.enrolVerified();
    person.enterNextStep();
    const { access_token: token } = await person.signIn();
    const challenges = await Promise.all(Array.from({ length: 6 }, () => person.challenge(factor.id, token)));
    const wrong = person.wrongCode(factor);
    const outcomes = await Promise.allSettled(
      challenges.flatMap((id) => Array.from({ length: 6 }, () => person.verify(factor.id, id, wrong, token))),
    );
    const judged = outcomes.filter(
      ({ status, ...rest }) =>
        status === "rejected" && "reason" in rest && /Invalid TOTP/.test((rest.reason as Error).message),
    );
    assert.equal(judged.length, 10);
    const late = person.verify(factor.id, challenges[5] ?? "", person.code(factor), token);
    await assert.rejects(late, rejection(429, "over_request_rate_limit"));
  });
});
