import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { collectClosers } from "./one-time-closers.ts";
import { makePerson, readMail, sessionOf } from "./one-time-mailbox.ts";
import { createAuthContext, type TestAuthContext } from "./support/auth-context.ts";
import { rejection } from "./support/rejection.ts";

const expired = rejection(403, "otp_expired");

function wrongCodes(right: string, count: number): string[] {
  return Array.from({ length: count + 1 }, (_, place) => String(place).padStart(6, "0"))
    .filter((code) => code !== right)
    .slice(0, count);
}

describe("guessing a code", () => {
  const closers = collectClosers();
  let auth: TestAuthContext;
  before(async () => {
    auth = await createAuthContext(closers, { settings: { authAutoconfirm: false } });
  });

  async function ask(email: string) {
    await makePerson(auth, email);
    await auth.call("POST", "/otp", { body: { email } });
    return readMail(auth, email, "magiclink");
  }
  const tryCode = (email: string, token: string, type = "email") =>
    auth.call("POST", "/verify", { body: { type, email, token } });

  it("fails with a wrong code, one of the wrong length and one of other characters", async () => {
    const { code } = await ask("wrong@example.com");
    for (const wrong of [...wrongCodes(code, 1), code.slice(1), `${code}0`, "½".repeat(6)]) {
      await assert.rejects(tryCode("wrong@example.com", wrong), expired);
    }
    sessionOf(await tryCode("wrong@example.com", code));
  });

  it("fails with the code of somebody else", async () => {
    const { code } = await ask("mine@example.com");
    const other = await ask("yours@example.com");
    assert.notEqual(code, other.code);
    await assert.rejects(tryCode("yours@example.com", code), expired);
  });

  it("ends after five attempts, for the right code too; the link stays valid", async () => {
    const { code, hash } = await ask("guessed@example.com");
    for (const wrong of wrongCodes(code, 5)) await assert.rejects(tryCode("guessed@example.com", wrong), expired);
    await assert.rejects(tryCode("guessed@example.com", code), expired);
    sessionOf(await auth.call("POST", "/verify", { body: { type: "magiclink", token_hash: hash } }));
  });

  it("ends after five attempts, also for concurrent attempts and other types", async () => {
    const email = "parallel@example.com";
    const { code } = await ask(email);
    await Promise.allSettled(
      wrongCodes(code, 60).map((wrong, place) => tryCode(email, wrong, place % 2 === 0 ? "email" : "magiclink")),
    );
    const { rows } = await auth.context.pool.query(
      "select failed_attempts from auth.one_time_tokens where relates_to = $1",
      [email],
    );
    assert.deepEqual(rows, [{ failed_attempts: 5 }]);
    await assert.rejects(tryCode(email, code), expired);
  });

  it("restarts with a new code", async () => {
    const email = "renewed@example.com";
    const { code } = await ask(email);
    for (const wrong of wrongCodes(code, 6)) await assert.rejects(tryCode(email, wrong), expired);
    await auth.call("POST", "/otp", { body: { email } });
    sessionOf(await tryCode(email, readMail(auth, email, "magiclink").code));
    await assert.rejects(tryCode(email, code), expired);
  });

  it("ends for an hour after twenty attempts over all codes", async () => {
    const email = "patient@example.com";
    await ask(email);
    for (let round = 0; round < 4; round += 1) {
      const { code } = readMail(auth, email, "magiclink");
      for (const wrong of wrongCodes(code, 5)) await assert.rejects(tryCode(email, wrong), expired);
      await auth.call("POST", "/otp", { body: { email } });
    }
    const { code, hash } = readMail(auth, email, "magiclink");
    await assert.rejects(tryCode(email, code), expired);
    auth.clock.advance(60 * 60 * 1000 + 1);
    await auth.call("POST", "/otp", { body: { email } });
    await assert.rejects(tryCode(email, code), expired, "an older code stays void");
    sessionOf(await tryCode(email, readMail(auth, email, "magiclink").code));
    assert.notEqual(readMail(auth, email, "magiclink").hash, hash);
  });

  it("fails for a code that was used", async () => {
    const { code } = await ask("used@example.com");
    sessionOf(await tryCode("used@example.com", code));
    await assert.rejects(tryCode("used@example.com", code), expired);
  });

  it("creates one session for concurrent uses of the right code", async () => {
    const email = "race@example.com";
    const { code, hash } = await ask(email);
    const outcomes = await Promise.allSettled([
      ...Array.from({ length: 4 }, () => tryCode(email, code)),
      ...Array.from({ length: 4 }, () =>
        auth.call("POST", "/verify", { body: { type: "magiclink", token_hash: hash } }),
      ),
    ]);
    assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 1);
    const { rows } = await auth.context.pool.query(
      "select count(*)::int as count from auth.sessions s join auth.users u on u.id = s.user_id where u.email = $1",
      [email],
    );
    assert.deepEqual(rows, [{ count: 1 }]);
  });
});
