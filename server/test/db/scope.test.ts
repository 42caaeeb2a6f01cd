import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type pg from "pg";
import { buildScope, connectClient, type TransactionScope } from "../../src/db/index.ts";
import { createTestDatabase } from "../support/database.ts";

const USER = "0190a6a0-0000-7000-8000-000000000001";
const SCOPE: TransactionScope = {
  role: "authenticated",
  claims: { sub: USER, role: "authenticated" },
  schemas: ["public"],
  statementTimeoutMs: 8000,
  lockTimeoutMs: 2000,
  isReadOnly: false,
  request: { method: "GET", path: "/rest/v1/agents", headers: { "x-a": "b" } },
};
const HOSTILE = `'; drop table public.agents; --"\\$1 \u2028`;
const STATE = `select current_user::text as role, current_setting('request.jwt.claims', true) as claims,
  current_setting('search_path') as path, current_setting('statement_timeout') as timeout,
  current_setting('transaction_read_only') as "readOnly", current_setting('request.method', true) as method,
  current_setting('request.path', true) as "requestPath", current_setting('request.headers', true) as headers`;

describe("the scope statement", () => {
  it("is one text for every caller, so that it is prepared once and no value is part of it", () => {
    const hostile = {
      role: "anon",
      claims: { sub: HOSTILE },
      schemas: [HOSTILE],
      request: { method: HOSTILE, path: HOSTILE, headers: { [HOSTILE]: HOSTILE } },
    } as const;
    assert.equal(buildScope({ ...SCOPE, ...hostile }).text, buildScope(SCOPE).text);
  });

  it("sets everything every time", () => {
    assert.deepEqual(buildScope(SCOPE).values, [
      "authenticated",
      JSON.stringify(SCOPE.claims),
      USER,
      '"public"',
      "8000",
      "off",
      "GET",
      "/rest/v1/agents",
      '{"x-a":"b"}',
      "2000",
    ]);
    assert.deepEqual(buildScope({ ...SCOPE, claims: {}, schemas: ["a", 'b"c'], isReadOnly: true }).values.slice(1, 6), [
      "{}",
      "",
      '"a", "b""c"',
      "8000",
      "on",
    ]);
    const { text, values } = buildScope(SCOPE);
    assert.deepEqual(new Set(text.match(/\$\d+/g)), new Set(values.map((_, place) => `$${place + 1}`)));
    assert.equal(text.match(/, true\)/g)?.length, values.length, "every setting ends with the transaction");
  });
});

describe("a transaction in scope", () => {
  let user: pg.Client;
  let service: pg.Client;
  const closers: (() => Promise<void>)[] = [];

  before(async () => {
    const database = await createTestDatabase({ after: (close) => closers.push(close) });
    user = await connectClient(database.url("sb_user"));
    service = await connectClient(database.url("sb_service"));
    closers.unshift(
      () => user.end(),
      () => service.end(),
    );
  });
  after(async () => {
    for (const close of closers) await close();
  });

  async function inside<T>(client: pg.Client, scope: Partial<TransactionScope>, work: () => Promise<T>): Promise<T> {
    await client.query("begin");
    try {
      const { text, values } = buildScope({ ...SCOPE, ...scope });
      await client.query(text, [...values]);
      return await work();
    } finally {
      await client.query("rollback");
    }
  }
  const state = async (client: pg.Client) => (await client.query<Record<string, string | null>>(STATE)).rows[0];

  it("runs as the caller, and leaves nothing to the next one", async () => {
    const outside = await state(user);
    assert.equal(outside?.["role"], "sb_user");
    const expected = {
      role: "authenticated",
      claims: JSON.stringify(SCOPE.claims),
      path: '"public"',
      timeout: "8s",
      readOnly: "on",
      method: "GET",
      requestPath: "/rest/v1/agents",
      headers: '{"x-a":"b"}',
    };
    assert.deepEqual(await inside(user, { isReadOnly: true }, () => state(user)), expected);
    await user.query("begin");
    await user.query(buildScope(SCOPE).text, [...buildScope(SCOPE).values]);
    await user.query("commit");
    const left = await state(user);
    // A custom setting that was once set stays known, as an empty text.
    for (const [name, value] of Object.entries(outside)) assert.equal(left?.[name] || null, value || null, name);
    const { rows } = await inside(user, { role: "anon", claims: {} }, () =>
      user.query("select auth.uid() as id, auth.role() as role, auth.email() as email, auth.jwt() as jwt"),
    );
    assert.deepEqual(rows, [{ id: null, role: null, email: null, jwt: {} }]);
  });

  it("rejects writes when it is read-only", async () => {
    const write = () => user.query("insert into agents (name) values ('Ada')");
    await assert.rejects(inside(user, { isReadOnly: true }, write), { code: "25006" });
    await assert.rejects(
      inside(user, { isReadOnly: true }, () => user.query("set transaction read write")),
      { code: "25001" },
    );
  });

  it("treats hostile names and claims as plain values", async () => {
    const scope = {
      claims: { sub: USER, note: HOSTILE },
      schemas: [HOSTILE, "public"],
      request: { method: HOSTILE, path: HOSTILE, headers: { [HOSTILE]: HOSTILE } },
    };
    const found = await inside(user, scope, async () => {
      const { rows } = await user.query<{ uid: string; jwt: { note: string }; count: string }>(
        "select auth.uid() as uid, auth.jwt() as jwt, (select count(*) from agents) as count",
      );
      return { ...rows[0], state: await state(user) };
    });
    assert.deepEqual([found.uid, found.jwt?.note, found.count, found.state?.["method"]], [USER, HOSTILE, "0", HOSTILE]);
    assert.equal(found.state?.["role"], "authenticated");
  });

  it("stops a statement that takes too long", async () => {
    await assert.rejects(
      inside(user, { statementTimeoutMs: 20 }, () => user.query("select pg_sleep(5)")),
      { code: "57014" },
    );
  });

  it("can use the service role only from the login of the service", async () => {
    await assert.rejects(
      inside(user, { role: "service_role" }, () => state(user)),
      { code: "42501" },
    );
    assert.equal((await inside(service, { role: "service_role" }, () => state(service)))?.["role"], "service_role");
    for (const role of ["swarmbase_owner", "sb_service", "postgres"])
      await assert.rejects(user.query(`set role ${role}`), { code: "42501" }, role);
    for (const role of ["swarmbase_owner", "postgres"])
      await assert.rejects(service.query(`set role ${role}`), { code: "42501" }, role);
  });
});
