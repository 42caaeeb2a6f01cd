import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import fc from "fast-check";
import pg from "pg";
import { buildTransactionRequest, type PipelinedStatement } from "../src/transaction-request.ts";
import { readMultiplexerOf } from "../src/read-multiplexer.ts";
import { StatementPace } from "../src/statement-pace.ts";
import { openRelay, type Relay } from "../../../server/test/support/pipeline-relay.ts";
import type { FairPool, FairPoolConfig } from "../src/fair-pool.ts";
import {
  ask,
  run,
  queryPool,
  openStage,
  type TransactionScope,
  type Stage,
  scopeOf,
} from "../../../server/test/support/pipeline-stage.ts";
import { until } from "../../../server/test/support/until.ts";

const closers: (() => Promise<void>)[] = [];
const cleanup = { after: (close: () => Promise<void>) => void closers.unshift(close) };
const [ME, YOU] = [randomUUID(), randomUUID()];
const [MY_SESSION, DEAD_SESSION] = [randomUUID(), randomUUID()];
const away = { status: 503, code: "SERVICE_UNAVAILABLE" };
const SYNC = Buffer.from("S\0\0\0\x04", "latin1");

const reader = (userId: string, changes: Partial<TransactionScope> = {}): TransactionScope =>
  scopeOf(userId, { isReadOnly: true, request: { method: "GET", path: "/", headers: {} }, ...changes });
const withSession = (userId: string, sessionId: string): TransactionScope =>
  reader(userId, { session: { userId, sessionId, inactivitySeconds: 0 } });
const me = reader(ME);
const you = reader(YOU);

/** Everything that a transaction knows of its caller, and what of the caller's rows it sees. */
const WHO = `select concat_ws('|', current_user, current_setting('request.jwt.claims')::json ->> 'sub', auth.uid(),
  current_setting('request.path'), nullif(current_setting('app.left', true), ''), (select string_agg(name, ',') from public.agents))`;
const whoIs = (userId: string, path = "/"): string => ["authenticated", userId, userId, path, userId].join("|");
const DIVIDE = "select (10 / $1::int)::text";

let stage: Stage;
let admin: pg.Client;
let relay: Relay;
let pool: FairPool;
/** How many transactions each write carried. */
let writes: number[] = [];

before(async () => {
  stage = await openStage(cleanup);
  await stage.database.owner.query(
    "insert into auth.users (id, email) select id, id || '@example.test' from unnest($1::uuid[]) id",
    [[ME, YOU]],
  );
  await stage.database.owner.query(
    "insert into auth.sessions (id, user_id, refresh_key_wrapped, refreshed_at) values ($1, $2, '', now())",
    [MY_SESSION, ME],
  );
  await stage.database.owner.query(
    "insert into public.agents (user_id, name) select id, id::text from unnest($1::uuid[]) id",
    [[ME, YOU]],
  );
  await stage.database.owner.query(`
    create table public.notes (id int primary key);
    create table public.locked (id int);
    grant all on public.notes, public.locked to authenticated`);
  admin = new pg.Client({ connectionString: stage.database.adminUrl });
  await admin.connect();
  cleanup.after(() => admin.end());
});
after(async () => {
  for (const close of closers) await close();
});
beforeEach(async () => {
  ({ pool, relay } = await openRelayedPool());
});

async function openRelayedPool(config: FairPoolConfig = {}): Promise<{ pool: FairPool; relay: Relay }> {
  const relay = await openRelay(cleanup, { target: stage.database.adminUrl });
  const { password, pathname } = new URL(stage.database.url("sb_user"));
  const pool = stage.openPool({
    connectionString: undefined,
    ...relay.config,
    user: "sb_user",
    password: decodeURIComponent(password),
    database: pathname.slice(1),
    ...config,
  });
  // On a busy machine everything is slow at times; where it matters here, that is said.
  readMultiplexerOf(pool).pace.isQuick = () => true;
  return { pool, relay };
}

/** Until the statement has a name on the one connection. */
async function warmUp(scope: TransactionScope, text: string, values: PipelinedStatement["values"] = []): Promise<void> {
  for (let time = 0; time < 3; time += 1) await ask(pool, scope, text, values);
}

function countWrites(): void {
  writes = [];
  relay.onRequest((bytes) => {
    let count = 0;
    for (let at = bytes.indexOf(SYNC); at >= 0; at = bytes.indexOf(SYNC, at + SYNC.length)) count += 1;
    writes.push(count);
    return bytes;
  });
}

const codeOf = (settled: PromiseSettledResult<unknown>): unknown =>
  settled.status === "fulfilled" ? settled.value : (settled.reason as { code?: unknown }).code;

describe("reads that are ready at the same time", () => {
  it("are sent in one write, at most four, and each gets its own result", async () => {
    await warmUp(me, WHO);
    countWrites();
    const callers = [me, you, me, you, you, me];
    const answers = await Promise.all(callers.map((scope) => ask(pool, scope, WHO)));
    assert.deepEqual(
      answers,
      callers.map(({ claims }) => whoIs(String(claims["sub"]))),
    );
    assert.deepEqual(writes.slice(0, 2), [4, 2]);
  });

  it("run alone while a statement is not prepared, and when one writes, resets or rolls back", async () => {
    countWrites();
    await Promise.all([ask(pool, me, DIVIDE, [1]), ask(pool, me, DIVIDE, [2])]);
    assert.deepEqual(writes.slice(-2), [1, 1]);
    await warmUp(me, DIVIDE, [5]);
    countWrites();
    const divide = [{ text: DIVIDE, values: [2] }];
    await Promise.all([
      run(pool, scopeOf(ME), divide),
      run(pool, me, divide, { resetAfter: true }),
      run(pool, me, divide, { rollback: true }),
      run(pool, me, divide, { maxResultBytes: 1000 }),
    ]);
    assert.ok(
      writes.every((count) => count === 1),
      String(writes),
    );
  });

  it("run alone when they have been slow", async () => {
    readMultiplexerOf(pool).pace.isQuick = StatementPace.prototype.isQuick;
    const slow = "select pg_sleep(0.02)::text";
    for (let time = 0; time < 3; time += 1) await ask(pool, me, slow);
    countWrites();
    await Promise.all([ask(pool, me, slow), ask(pool, me, slow)]);
    assert.deepEqual(writes, [1, 1]);
  });

  it("run alone on a connection that has not prepared them", async () => {
    await warmUp(me, WHO);
    await pool.query("select pg_terminate_backend(pg_backend_pid())").catch(() => {});
    countWrites();
    assert.deepEqual(await Promise.all([ask(pool, me, WHO), ask(pool, you, WHO)]), [whoIs(ME), whoIs(YOU)]);
    assert.ok(
      writes.every((count) => count <= 1),
      String(writes),
    );
  });
});

describe("in one write with others", () => {
  type Case = {
    readonly scope: TransactionScope;
    readonly text: string;
    readonly values?: readonly string[];
    expected: string;
  };
  const CASES: readonly Case[] = [
    { scope: me, text: WHO, expected: whoIs(ME) },
    { scope: you, text: WHO, expected: whoIs(YOU) },
    {
      scope: reader(YOU, { request: { method: "GET", path: "/else", headers: {} } }),
      text: WHO,
      expected: whoIs(YOU, "/else"),
    },
    { scope: reader(ME, { role: "anon", claims: {} }), text: "select current_user::text", expected: "anon" },
    { scope: withSession(ME, MY_SESSION), text: WHO, expected: whoIs(ME) },
    { scope: withSession(ME, DEAD_SESSION), text: WHO, expected: "SB001" },
    { scope: withSession(randomUUID(), MY_SESSION), text: WHO, expected: "SB002" },
    { scope: reader(ME, { schemas: ["x\0y"] }), text: WHO, expected: "22021" },
    { scope: reader(ME, { statementTimeoutMs: -5 }), text: WHO, expected: "22023" },
    { scope: me, text: DIVIDE, values: ["5"], expected: "2" },
    { scope: me, text: DIVIDE, values: ["0"], expected: "22012" },
    { scope: me, text: DIVIDE, values: ["x"], expected: "22P02" },
    { scope: me, text: "select set_config('app.left', 'mine', true)", expected: "mine" },
    { scope: me, text: "insert into public.notes (id) values (1) returning id", expected: "25006" },
    { scope: me, text: "select nullif(current_setting('app.left', true), '')", expected: "" },
  ];

  it("each read gets its own result or its own error, whatever its neighbours are", async () => {
    for (const { scope, text, values } of CASES.filter(({ expected }) => !/^[A-Z0-9]{5}$/.test(expected))) {
      await warmUp(scope, text, values);
    }
    const pid = await queryPool(pool, "select pg_backend_pid()");
    countWrites();
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...CASES), { minLength: 2, maxLength: 8 }), async (cases) => {
        const settled = await Promise.allSettled(
          cases.map(({ scope, text, values }) => ask(pool, scope, text, values)),
        );
        assert.deepEqual(
          settled.map((one) => codeOf(one) ?? ""),
          cases.map(({ expected }) => expected),
        );
      }),
      { numRuns: 150 },
    );
    assert.ok(writes.filter((count) => count > 1).length > 50, "most of them shared a write");
    assert.equal(await queryPool(pool, "select pg_backend_pid()"), pid, "no error cost the connection");
    const open = "state like '%transaction%' and datname = current_database()";
    assert.equal(await queryPool(pool, `select count(*)::int from pg_stat_activity where ${open}`), 0);
  });

  it("a read with a stale statement runs again, alone", async () => {
    const make = (columns: string): Promise<unknown> =>
      stage.database.owner.query(
        `drop table if exists public.changing; create table public.changing (${columns});
         insert into public.changing default values; grant all on public.changing to authenticated`,
      );
    await make("a int default 1");
    await warmUp(me, "select * from public.changing");
    await warmUp(me, WHO);
    await make("a text default 'one', b int");
    const texts = [WHO, "select * from public.changing", WHO];
    assert.deepEqual(await Promise.all(texts.map((text) => ask(pool, me, text))), [whoIs(ME), "one", whoIs(ME)]);
    await pool.query("deallocate all");
    assert.deepEqual(await Promise.all(texts.map((text) => ask(pool, me, text))), [whoIs(ME), "one", whoIs(ME)]);
  });
});

/** A statement that was quick so far, and now waits for whoever has locked its table. */
describe("behind a read that waits for a lock", () => {
  const READ_LOCKED = "select count(*)::text from public.locked";

  afterEach(() => admin.query("rollback"));

  async function lock(): Promise<void> {
    await warmUp(me, READ_LOCKED);
    await warmUp(me, WHO);
    await admin.query("begin; lock table public.locked in access exclusive mode");
  }

  async function waitForWaiter(): Promise<void> {
    const waiting = "select 1 from pg_locks where relation = 'public.locked'::regclass and not granted";
    await until(async () => (await stage.database.owner.query(waiting)).rowCount !== 0, "a statement waits");
  }

  it("the other reads do not wait", async () => {
    ({ pool, relay } = await openRelayedPool({ max: 2 }));
    await lock();
    const [first, ...others] = [READ_LOCKED, WHO, WHO].map((text) => ask(pool, me, text));
    assert.deepEqual(await Promise.all(others), [whoIs(ME), whoIs(ME)]);
    await admin.query("rollback");
    assert.equal(await first, "0");
    assert.equal(await ask(pool, you, WHO), whoIs(YOU));
  });

  it("an abort affects neither the connection nor the neighbours, and nothing is cancelled", async () => {
    await lock();
    const pid = await queryPool(pool, "select pg_backend_pid()");
    const [head, follower] = [new AbortController(), new AbortController()];
    const gone = new Error("gone");
    const leaving = [
      run(pool, me, [READ_LOCKED], { signal: head.signal }),
      run(pool, me, [WHO], { signal: follower.signal }),
    ].map((leaving) => assert.rejects(leaving, gone));
    const staying = ask(pool, you, WHO);
    await waitForWaiter();
    head.abort(gone);
    follower.abort(gone);
    await Promise.all(leaving);
    await admin.query("rollback");
    assert.equal(await staying, whoIs(YOU));
    assert.equal(relay.cancelCount(), 0);
    assert.equal(await queryPool(pool, "select pg_backend_pid()"), pid);
  });

  it("a statement timeout ends that read alone", async () => {
    await lock();
    const late = ask(pool, reader(ME, { statementTimeoutMs: 150 }), READ_LOCKED);
    const next = ask(pool, you, WHO);
    await assert.rejects(late, { code: "57014" });
    assert.equal(await next, whoIs(YOU));
  });

  it("a read timeout drops the connection, and the reads behind run again", async () => {
    ({ pool, relay } = await openRelayedPool({ query_timeout: 3_000 }));
    await lock();
    const pid = await queryPool(pool, "select pg_backend_pid()");
    const hanging = assert.rejects(ask(pool, me, READ_LOCKED), away);
    assert.equal(await ask(pool, you, WHO), whoIs(YOU));
    await hanging;
    assert.notEqual(await queryPool(pool, "select pg_backend_pid()"), pid);
  });

  it("an abort before the write leaves the batch", async () => {
    await warmUp(me, WHO);
    countWrites();
    const controller = new AbortController();
    const leaving = assert.rejects(run(pool, me, [WHO], { signal: controller.signal }), { name: "AbortError" });
    const staying = [ask(pool, you, WHO), ask(pool, me, WHO)];
    controller.abort();
    await leaving;
    assert.deepEqual(await Promise.all(staying), [whoIs(YOU), whoIs(ME)]);
    assert.equal(writes[0], 2);
  });

  it("an abort in the turn in which the read turns out to be the only one is noticed as well", async () => {
    const controller = new AbortController();
    const leaving = run(pool, me, [WHO], { signal: controller.signal });
    setImmediate(() => process.nextTick(() => controller.abort()));
    await assert.rejects(leaving, { name: "AbortError" });
    assert.equal(await ask(pool, you, WHO), whoIs(YOU));
  });
});

describe("the pace of a statement", () => {
  const orderOf = (...texts: readonly string[]) =>
    buildTransactionRequest({
      key: "me",
      enter: { text: "select", values: [] },
      role: me.role,
      isReadOnly: me.isReadOnly,
      statementTimeoutMs: me.statementTimeoutMs,
      statements: texts.map((text) => ({ text, values: [] })),
    });

  it("is unknown at first, and follows the mean of the durations", () => {
    const pace = new StatementPace();
    assert.ok(!pace.isQuick(orderOf("a")));
    pace.record(orderOf("a"), 1, true);
    assert.ok(pace.isQuick(orderOf("a")));
    assert.ok(!pace.isQuick(orderOf("a", "b")), "every statement counts");
    pace.record(orderOf("a"), 1_000, true);
    assert.ok(!pace.isQuick(orderOf("a")));
    for (let time = 0; time < 40; time += 1) pace.record(orderOf("a"), 1, true);
    assert.ok(pace.isQuick(orderOf("a")));
  });

  it("is not improved by a quick failure, but worsened by a slow one", () => {
    const pace = new StatementPace();
    pace.record(orderOf("a"), 0.1, false);
    assert.ok(!pace.isQuick(orderOf("a")));
    pace.record(orderOf("a"), 1, true);
    pace.record(orderOf("a"), 8_000, false);
    assert.ok(!pace.isQuick(orderOf("a")));
  });

  it("is kept for a limited number of texts of limited length", () => {
    const pace = new StatementPace();
    for (let text = 0; text <= 500; text += 1) pace.record(orderOf(String(text)), 1, true);
    assert.deepEqual([pace.isQuick(orderOf("0")), pace.isQuick(orderOf("500"))], [false, true]);
    const huge = "x".repeat(40_000);
    pace.record(orderOf(huge), 1, true);
    assert.ok(!pace.isQuick(orderOf(huge)));
  });
});

describe("a connection that breaks under several reads", () => {
  it("before any response is replaced for all of them", async () => {
    await warmUp(me, WHO);
    relay.onRequest(() => {
      relay.onRequest(null);
      return null;
    });
    assert.deepEqual(
      await Promise.all([me, you, me].map((scope) => ask(pool, scope, WHO))),
      [ME, YOU, ME].map((id) => whoIs(id)),
    );
  });

  it("after the first response keeps that result, and the others run again", async () => {
    await warmUp(me, WHO);
    const connections = relay.count();
    let answer = Buffer.alloc(0);
    let isOver = false;
    relay.onAnswer((bytes) => {
      if (relay.count() > connections) return bytes;
      if (isOver) return Buffer.alloc(0);
      answer = Buffer.concat([answer, bytes]);
      const end = answer.indexOf("Z\0\0\0\x05I", 0, "latin1") + 6;
      isOver = end >= 6;
      return isOver ? answer.subarray(0, end) : Buffer.alloc(0);
    });
    const first = ask(pool, me, WHO);
    const others = [ask(pool, you, WHO), ask(pool, me, WHO)];
    assert.equal(await first, whoIs(ME));
    await admin.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'sb_user' and datname = $1",
      [new URL(stage.database.url("sb_user")).pathname.slice(1)],
    );
    assert.deepEqual(await Promise.all(others), [whoIs(YOU), whoIs(ME)]);
    assert.equal(relay.count(), connections + 1);
  });

  it("permanently is a 503 for each", async () => {
    await warmUp(me, WHO);
    relay.refuse();
    relay.onRequest(() => null);
    await Promise.all([me, you].map((scope) => assert.rejects(ask(pool, scope, WHO), away)));
  });
});
