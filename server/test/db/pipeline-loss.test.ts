import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { type EventEmitter, once } from "node:events";
import type { Duplex } from "node:stream";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { openRelay, type Relay } from "../support/pipeline-relay.ts";
import type { FairPool } from "@swarmbase/postgres";
import { ask, run, queryPool, openStage, type Stage, scopeOf } from "../support/pipeline-stage.ts";
import { until } from "../support/until.ts";

const closers: (() => Promise<void>)[] = [];
const cleanup = { after: (close: () => Promise<void>) => void closers.unshift(close) };
const me = scopeOf(randomUUID());
const reader = { ...me, isReadOnly: true };
const away = { status: 503, code: "SERVICE_UNAVAILABLE" };
const inDoubt = { ...away, message: /may or may not be stored/ };
const READY_FOR_QUERY = Buffer.from("Z\0\0\0\x05I", "latin1");
let stage: Stage;
let admin: pg.Client;

before(async () => {
  stage = await openStage(cleanup);
  await stage.database.owner.query(`
    create table public.notes (id int primary key);
    create sequence public.calls;
    grant all on public.notes, public.calls to authenticated`);
  admin = new pg.Client({ connectionString: stage.database.adminUrl });
  await admin.connect();
  cleanup.after(() => admin.end());
});
after(async () => {
  for (const close of closers) await close();
});

async function openRelayedPool(): Promise<{ pool: FairPool; relay: Relay }> {
  const relay = await openRelay(cleanup, { target: stage.database.adminUrl });
  const { password, pathname } = new URL(stage.database.url("sb_user"));
  const pool = stage.openPool({
    connectionString: undefined,
    ...relay.config,
    user: "sb_user",
    password: decodeURIComponent(password),
    database: pathname.slice(1),
  });
  assert.equal(await ask(pool, me, "select 'warm'"), "warm");
  return { pool, relay };
}

async function waitForSleeper(marker: string): Promise<number> {
  let pid: number | undefined;
  await until(async () => {
    const { rows } = await admin.query<{ pid: number }>(
      "select pid from pg_stat_activity where state = 'active' and query like '%' || $1 || '%' and pid <> pg_backend_pid()",
      [marker],
    );
    pid = rows[0]?.pid;
    return pid !== undefined;
  }, "the statement runs");
  return pid ?? 0;
}

const isRequest = (bytes: Buffer): boolean => bytes.includes("select");

describe("a backend that is killed during a transaction", () => {
  for (const [what, scope] of [
    ["a write", me],
    ["a read that was being answered", reader],
  ] as const) {
    it(`makes ${what} fail with 503, without a retry`, async () => {
      const pool = stage.openPool();
      const marker = randomUUID();
      const running = run(pool, scope, [`select 1 /* ${marker} */ from pg_sleep(60)`]);
      const pid = await waitForSleeper(marker);
      const acquired: unknown[] = [];
      pool.on("acquire", (client) => acquired.push(client));
      await Promise.all([assert.rejects(running, away), admin.query("select pg_terminate_backend($1)", [pid])]);
      assert.equal(acquired.length, 0);
      assert.equal(await ask(pool, me, "select 'next'"), "next");
    });
  }
});

describe("a connection that breaks", () => {
  it("before anything was sent is replaced, also for a write", async () => {
    const pool = stage.openPool();
    const client = await pool.connect();
    (client as unknown as { connection: { stream: { end(): void } } }).connection.stream.end();
    client.release();
    await run(pool, me, ["insert into public.notes (id) values (1)"]);
    assert.equal(await ask(pool, me, "select count(*) from public.notes where id = 1"), "1");
  });

  it("before the response began is replaced for a read", async () => {
    const { pool, relay } = await openRelayedPool();
    relay.onRequest((bytes) => {
      if (!isRequest(bytes)) return bytes;
      relay.onRequest(null);
      return null;
    });
    assert.equal(await ask(pool, reader, "select 'again'"), "again");
    assert.equal(relay.count(), 2);
  });

  it("twice is a 503 for a read too", async () => {
    const { pool, relay } = await openRelayedPool();
    relay.onRequest((bytes) => (isRequest(bytes) ? null : bytes));
    await assert.rejects(ask(pool, reader, "select 1"), away);
    assert.equal(relay.count(), 2);
  });

  it("after a write was sent is a 503, whether or not the write was committed", async () => {
    for (const isDone of [false, true]) {
      const { pool, relay } = await openRelayedPool();
      let sent = 0;
      relay.onRequest((bytes) => {
        if (!isRequest(bytes)) return bytes;
        sent += 1;
        return isDone ? bytes : null;
      });
      relay.onAnswer(() => null);
      await assert.rejects(ask(pool, me, "select nextval('public.calls')"), away);
      assert.deepEqual([sent, relay.count()], [1, 1]);
    }
    assert.equal(
      await queryPool(
        stage.openPool({ connectionString: stage.database.adminUrl }),
        "select last_value::int from public.calls",
      ),
      1,
    );
  });

  it("in a call of a foreign function is a 503, also in a read", async () => {
    const { pool, relay } = await openRelayedPool();
    relay.onRequest((bytes) => (isRequest(bytes) ? null : bytes));
    await assert.rejects(run(pool, reader, ["select 1"], { resetAfter: true }), away);
    assert.equal(relay.count(), 1);
  });

  it("in the middle of a response is a 503", async () => {
    const { pool, relay } = await openRelayedPool();
    let passed = 0;
    relay.onAnswer((bytes) => {
      passed += bytes.length;
      return passed > 200_000 ? null : bytes;
    });
    await assert.rejects(run(pool, reader, ["select repeat('x', 1000) from generate_series(1, 5000)"]), away);
    relay.onAnswer(null);
    assert.equal(await ask(pool, me, "select 'next'"), "next");
  });

  it("after the rows but before the end is a 503: whether it was committed is unknown", async () => {
    const { pool, relay } = await openRelayedPool();
    relay.onAnswer((bytes) => {
      relay.onAnswer(() => null);
      // ReadyForQuery is the last six bytes.
      return bytes.subarray(0, -6);
    });
    const running = run(pool, me, ["insert into public.notes (id) values (2) returning id"]);
    await sleep(0);
    const ended = assert.rejects(running, inDoubt);
    const written = "select 1 from public.notes where id = 2";
    await until(async () => (await admin.query(written)).rowCount === 1, "the row is committed");
    for (const client of pool["_clients" as keyof pg.Pool] as unknown as {
      connection: { stream: { destroy(): void } };
    }[]) {
      client.connection.stream.destroy();
    }
    await ended;
  });
});

it("a commit that no synchronous standby confirms is a 503: the standby may take over without it", async () => {
  const { pool, relay } = await openRelayedPool();
  relay.onAnswer((bytes) => {
    if (!bytes.includes(READY_FOR_QUERY)) return bytes;
    relay.onAnswer(null);
    const answer = bytes.subarray(0, bytes.indexOf(READY_FOR_QUERY));
    return Buffer.concat([answer, Buffer.from("N\0\0\0\x18SWARNING\0C57014\0M-\0\0", "latin1"), READY_FOR_QUERY]);
  });
  await assert.rejects(run(pool, me, ["insert into public.notes (id) values (3)"]), inDoubt);
  assert.equal(await ask(pool, me, "select count(*) from public.notes where id = 3"), "1");
  assert.equal(relay.count(), 2);
});

it("a failed reset loses the connection, not the response before it", async () => {
  const { pool, relay } = await openRelayedPool();
  relay.onAnswer((bytes) => {
    relay.onAnswer(() => Buffer.alloc(0));
    const answer = bytes.subarray(0, bytes.indexOf(READY_FOR_QUERY) + READY_FOR_QUERY.length);
    return Buffer.concat([answer, Buffer.from("E\0\0\0\x16SERROR\0C57014\0M-\0\0", "latin1"), READY_FOR_QUERY]);
  });
  const results = await run(pool, me, ["select 'done'"], { resetAfter: true });
  assert.equal(results[0]?.rows[0]?.[0], "done");
  assert.equal(pool.totalCount, 0);
});

it("a connection that breaks during the reset does not undo the response before it", async () => {
  const { pool, relay } = await openRelayedPool();
  relay.onAnswer((bytes) => {
    relay.onAnswer(() => null);
    return bytes.subarray(0, bytes.indexOf(READY_FOR_QUERY) + READY_FOR_QUERY.length);
  });
  const running = run(pool, me, ["select 'done'", "select pg_notify('x', '')"], { resetAfter: true });
  const [client] = pool["_clients" as keyof pg.Pool] as unknown as pg.Client[];
  const { connection } = client as unknown as { connection: EventEmitter & { stream: Duplex } };
  await once(connection, "readyForQuery");
  connection.stream.destroy();
  assert.equal((await running)[0]?.rows[0]?.[0], "done");
  assert.equal(pool.totalCount, 0);
});

describe("a malformed response", () => {
  it("is an error and closes the connection", async () => {
    const { pool, relay } = await openRelayedPool();
    relay.onAnswer(() => Buffer.from("z\0\0\0\x04"));
    await assert.rejects(ask(pool, me, "select 1"), /invalid response/);
    relay.onAnswer(null);
    assert.equal(await ask(pool, me, "select 'next'"), "next");
    assert.equal(relay.count(), 2);
  });

  it("with fewer results than statements is an error", async () => {
    const { pool, relay } = await openRelayedPool();
    relay.onAnswer(() => Buffer.from("2\0\0\0\x04C\0\0\0\x0dSELECT 1\0Z\0\0\0\x05I", "latin1"));
    await assert.rejects(ask(pool, me, "select 1"), /fewer statements/);
  });
});

describe("a database that cannot be queried", () => {
  it("because every connection is in use is a 503 with PostgREST's code", async () => {
    const pool = stage.openPool();
    const client = await pool.connect();
    // Only now: on a busy machine, connecting itself may take longer.
    Object.assign(pool.options, { connectionTimeoutMillis: 50 });
    await assert.rejects(ask(pool, me, "select 1"), (error: { status: number; extra: { foreign?: unknown } }) => {
      assert.equal(error.status, 503);
      assert.deepEqual(error.extra.foreign, { code: "PGRST003", status: 503 });
      return true;
    });
    client.release();
    Object.assign(pool.options, { connectionTimeoutMillis: 0 });
    assert.equal(await ask(pool, me, "select 'next'"), "next");
  });

  it("because it is unreachable is a 503", async () => {
    const { pool, relay } = await openRelayedPool();
    relay.refuse();
    relay.onRequest(() => null);
    await assert.rejects(ask(pool, me, "select 1"), away);
    await assert.rejects(ask(pool, reader, "select 1"), away);
  });
});
