import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type pg from "pg";
import type { AuthContext } from "../../src/auth/auth-context.ts";
import { ANON_PRINCIPAL } from "../../src/db/index.ts";
import { AppError, renderError } from "../../src/errors/index.ts";
import { collectClosers } from "./one-time-closers.ts";
import { findPerson, makePerson, readMail, sessionOf, signIn } from "./one-time-mailbox.ts";
import { createAuthContext, type TestAuthContext } from "./support/auth-context.ts";
import { rejection } from "./support/rejection.ts";

/** Everything that a client sees of a response or an error. */
async function show(work: Promise<unknown>): Promise<unknown> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return renderError(error);
  }
}

describe("requesting mail", () => {
  const INTERVAL_SECONDS = 60;
  const closers = collectClosers();
  let auth: TestAuthContext;
  before(async () => {
    auth = await createAuthContext(closers, {
      settings: { authAutoconfirm: false, authMailIntervalSeconds: INTERVAL_SECONDS },
    });
  });

  const requests: readonly [string, string, object][] = [
    ["/otp", "/otp", { create_user: false }],
    ["/magiclink", "/magiclink", { create_user: false }],
    ["/recover", "/recover", {}],
    ["/resend of a sign-up", "/resend", { type: "signup" }],
    ["/resend of an e-mail change", "/resend", { type: "email_change" }],
  ];
  for (const [place, [name, path, body]] of requests.entries()) {
    it(`${name} answers alike for an address with an account and one without`, async () => {
      const known = `known-${place}@example.com`;
      await makePerson(auth, known, { isConfirmed: path !== "/resend" });
      const seen = [];
      for (const email of [known, `nobody-${place}@example.com`]) {
        const call = () => show(auth.call("POST", path, { body: { ...body, email } }));
        const answers = [await call(), await call()];
        // Time passes between two calls.
        seen.push(JSON.parse(JSON.stringify(answers).replaceAll(/\b(5\d|60)\b/g, "60")));
      }
      const [first, second] = seen;
      assert.deepEqual(second, first);
      assert.deepEqual(first?.[0], { status: 200, body: {} });
      const { status, headers, body: rejected } = (first?.[1] ?? {}) as ReturnType<typeof renderError>;
      assert.equal(status, 429);
      assert.equal(headers["retry-after"], "60");
      const parsed = JSON.parse(rejected);
      assert.deepEqual(
        [parsed.code, parsed.error_code, parsed.retry_after, parsed.msg],
        [
          "RATE_LIMITED",
          "over_email_send_rate_limit",
          60,
          "For security purposes, you can only request this after 60 seconds.",
        ],
      );
    });
  }

  it("is possible again after the interval, and not before", async () => {
    const email = "patient@example.com";
    await makePerson(auth, email);
    const ask = () => auth.call("POST", "/recover", { body: { email } });
    await ask();
    auth.clock.advance((INTERVAL_SECONDS - 20) * 1000);
    await assert.rejects(ask(), rejection(429, "over_email_send_rate_limit", /after (\d|1\d|20) seconds/));
    auth.clock.advance(20_000);
    await ask();
    assert.equal(auth.mails.filter(({ to }) => to === email).length, 2);
  });

  it("concurrently sends one mail", async () => {
    const email = "storm@example.com";
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, () => auth.call("POST", "/otp", { body: { email } })),
    );
    assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 1);
    assert.equal(auth.mails.filter(({ to }) => to === email).length, 1);
    await findPerson(auth, email);
  });

  it("concurrently without a throttle creates one account", async (t) => {
    const unbraked = await createAuthContext(t, { settings: { authAutoconfirm: false } });
    const email = "storm@example.com";
    await Promise.all(Array.from({ length: 5 }, () => unbraked.call("POST", "/otp", { body: { email } })));
    const sent = unbraked.mails.filter(({ to }) => to === email);
    assert.equal(sent.length, 5);
  });

  it("of one kind does not throttle another kind", async () => {
    const email = "kinds@example.com";
    await makePerson(auth, email);
    await auth.call("POST", "/recover", { body: { email } });
    await auth.call("POST", "/otp", { body: { email } });
    assert.deepEqual(
      auth.mails.filter(({ to }) => to === email).map(({ kind }) => kind),
      ["recovery", "magiclink"],
    );
  });

  it("for a sign-up is throttled alike whether the address is taken or not", async () => {
    await makePerson(auth, "taken@example.com");
    const outcomes = [];
    for (const email of ["taken@example.com", "free@example.com"]) {
      const call = () => auth.call("POST", "/signup", { body: { email, password: "correct horse" } });
      const first = await call();
      await assert.rejects(call(), rejection(429, "over_email_send_rate_limit"));
      outcomes.push([first.status, Object.keys(first.body as object).toSorted()]);
    }
    assert.deepEqual(outcomes[0], outcomes[1]);
    assert.deepEqual(
      auth.mails.filter(({ to }) => to === "taken@example.com").map(({ kind }) => kind),
      ["address_taken"],
    );
  });

  it("throttles reauthentication", async () => {
    await makePerson(auth, "eager@example.com");
    const { access_token: token } = await signIn(auth, "eager@example.com");
    await auth.call("GET", "/reauthenticate", { token });
    await assert.rejects(auth.call("GET", "/reauthenticate", { token }), rejection(429, "over_email_send_rate_limit"));
  });

  it("throttles changes of address by account and by address", async () => {
    await makePerson(auth, "changer-1@example.com");
    await makePerson(auth, "changer-2@example.com");
    const one = await signIn(auth, "changer-1@example.com");
    const two = await signIn(auth, "changer-2@example.com");
    const change = (token: string, email: string) => auth.call("PUT", "/user", { token, body: { email } });
    await change(one.access_token, "target@example.com");
    const braked = rejection(429, "over_email_send_rate_limit");
    await assert.rejects(change(one.access_token, "another@example.com"), braked);
    await assert.rejects(change(two.access_token, "target@example.com"), braked);
    await change(two.access_token, "elsewhere@example.com");
  });

  it("stores no address without an account and deletes expired rows", async () => {
    await auth.call("POST", "/recover", { body: { email: "never-stored@example.com" } });
    const { rows } = await auth.context.pool.query("select to_jsonb(t)::text as text from auth.mail_throttles t");
    assert.ok(rows.length > 0);
    const hex = Buffer.from("never-stored").toString("hex");
    assert.ok(rows.every(({ text }) => !text.includes("never-stored") && !text.includes(hex)));
    auth.clock.advance(2 * 86_400_000);
    await auth.call("POST", "/recover", { body: { email: "sweeper@example.com" } });
    for (const [table, left] of [
      ["mail_throttles", 1],
      ["one_time_tokens", 0],
      ["flow_states", 0],
    ] as const) {
      const { rows: counted } = await auth.context.pool.query(`select count(*)::int as count from auth.${table}`);
      assert.deepEqual(counted, [{ count: left }], table);
    }
  });

  it("gets the same response when sign-ups are disabled, and creates no account", async (t) => {
    const closed = await createAuthContext(t, { settings: { authSignupEnabled: false } });
    await makePerson(closed, "member@example.com");
    for (const email of ["member@example.com", "stranger@example.com"]) {
      assert.deepEqual(await closed.call("POST", "/otp", { body: { email } }), { status: 200, body: {} });
    }
    assert.deepEqual(
      closed.mails.map(({ to }) => to),
      ["member@example.com"],
    );
    const { rows } = await closed.context.pool.query("select email from auth.users");
    assert.deepEqual(rows, [{ email: "member@example.com" }]);
  });

  it("executes the same statements before the response, whatever account the address has", async (t) => {
    const stage = await createAuthContext(t, { settings: { authAutoconfirm: false } });
    const passwordHash = await stage.context.hasher.hash("correct horse");
    await makePerson(stage, "confirmed@example.com", { passwordHash });
    await makePerson(stage, "pending@example.com", { isConfirmed: false, passwordHash });
    await makePerson(stage, "changing@example.com");
    await stage.context.pool.query("update auth.users set new_email = 'next@example.com' where email like 'changing%'");
    const { access_token: token } = await signIn(stage, "confirmed@example.com");
    const requests: readonly ["POST" | "PUT", string, object][] = [
      ["POST", "/otp", {}],
      ["POST", "/otp", { create_user: false }],
      ["POST", "/magiclink", {}],
      ["POST", "/recover", {}],
      ["POST", "/resend", { type: "signup" }],
      ["POST", "/resend", { type: "email_change" }],
      ["POST", "/signup", { password: "battery staple" }],
      ["PUT", "/user", {}],
    ];
    for (const [method, path, body] of requests) {
      const seen = new Map<string, readonly string[]>();
      for (const email of ["free@example.com", "pending@example.com", "changing@example.com"]) {
        const { pool, statements } = recordStatements(stage.context.pool);
        const options = { body: { ...body, email }, node: { pool }, ...(method === "PUT" && { token }) };
        assert.equal((await stage.call(method, path, options)).status, 200);
        seen.set(email, statements);
        await stage.database.owner.query("delete from auth.users where email = 'free@example.com'");
      }
      const [first, ...others] = seen.values();
      assert.ok(first !== undefined && first.length >= 4, `${path}: ${first?.join("; ")}`);
      for (const other of others) assert.deepEqual(other, first, `${method} ${path}`);
    }
  });
});

/** A pool that records the statements of its clients. */
function recordStatements(pool: AuthContext["pool"]): { pool: AuthContext["pool"]; statements: string[] } {
  const statements: string[] = [];
  const watch = <T extends Pick<pg.Pool, "query">>(queried: T, isPool: boolean): T =>
    new Proxy(queried, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== "function") return value;
        return (...args: unknown[]): unknown => {
          if (name === "query") statements.push(textOf(args[0]));
          const result: unknown = Reflect.apply(value, target, args);
          return isPool && name === "connect"
            ? (result as Promise<pg.PoolClient>).then((client) => watch(client, false))
            : result;
        };
      },
    });
  return { pool: watch(pool, true), statements };
}

function textOf(statement: unknown): string {
  const text = typeof statement === "string" ? statement : (statement as { text: string }).text;
  // Whether the account of a sign-up is kept is the difference that must not show.
  return text.replace(/^(release|rollback to) savepoint/, "end savepoint");
}

describe("an unavailable mail server", () => {
  const away = () => {
    throw new AppError("SERVICE_UNAVAILABLE", "away");
  };

  it("returns an error to signed-in callers and allows an immediate retry", async (t) => {
    let isAway = true;
    const auth = await createAuthContext(t, {
      settings: { authMailIntervalSeconds: 60 },
      onMail: () => (isAway ? away() : undefined),
    });
    const body = { email: "early@example.com", password: "correct horse" };
    const { access_token: token } = sessionOf(await auth.call("POST", "/signup", { body }));
    const ask = () => auth.call("GET", "/reauthenticate", { token });
    await assert.rejects(ask(), (error) => error instanceof AppError && error.status === 503);
    isAway = false;
    await ask();
    assert.match(readMail(auth, "early@example.com", "reauthentication").code, /^[0-9]{6}$/);
  });

  it("gives the same error for every address before anything is changed", async (t) => {
    const auth = await createAuthContext(t, { settings: { authMailIntervalSeconds: 60 } });
    await makePerson(auth, "known@example.com");
    const down = { ...auth.context, mailer: { ...auth.context.mailer, checkReady: async () => away() } };
    const { oneTimeEndpoints } = await import("../../src/auth/one-time/one-time-endpoints.ts");
    const recover = oneTimeEndpoints.find(({ path }) => path === "/recover");
    assert.ok(recover);
    for (const email of ["known@example.com", "nobody@example.com"]) {
      const call = {
        query: {},
        search: "",
        params: {},
        body: { email },
        headers: {},
        address: "127.0.0.1",
        userAgent: null,
      };
      await assert.rejects(
        recover.run(down, { ...call, principal: ANON_PRINCIPAL }),
        (error) => error instanceof AppError && error.status === 503,
      );
      await auth.call("POST", "/recover", { body: { email } });
    }
  });

  it("delays the mail when it fails after the check, and the request is not lost", async (t) => {
    let isAway = true;
    const auth = await createAuthContext(t, { onMail: () => (isAway ? away() : undefined) });
    const notes: string[] = [];
    const observer = { note: (name: string) => void notes.push(name), child: () => observer };
    Object.assign(auth.context, { observer });
    await makePerson(auth, "known@example.com");
    for (const email of ["known@example.com", "nobody@example.com"]) {
      assert.deepEqual(await auth.call("POST", "/recover", { body: { email } }), { status: 200, body: {} });
    }
    assert.deepEqual(notes, ["mail.retried"]);
    isAway = false;
    await auth.database.owner.query("update private.mail_outbox set due_at = now()");
    await auth.call("GET", "/settings");
    const { code } = readMail(auth, "known@example.com", "recovery");
    sessionOf(
      await auth.call("POST", "/verify", { body: { type: "recovery", email: "known@example.com", token: code } }),
    );
    const { rows } = await auth.database.owner.query("select count(*)::int as count from private.mail_outbox");
    assert.deepEqual(rows, [{ count: 0 }], "no address stays in the outbox");
  });
});
