import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import pg from "pg";
import { loadTlsMaterial } from "../../src/http/index.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { openRelay, type Relay } from "../support/pipeline-relay.ts";
import type { FairPool } from "@swarmbase/postgres";
import { ask, run, queryPool, openStage, type Stage, scopeOf } from "../support/pipeline-stage.ts";
import { until } from "../support/until.ts";

const closers: (() => Promise<void>)[] = [];
const cleanup = { after: (close: () => Promise<void>) => void closers.unshift(close) };
const me = scopeOf(randomUUID());
let stage: Stage;
let admin: pg.Client;

before(async () => {
  stage = await openStage(cleanup);
  await stage.database.owner.query("create table public.notes (note text); grant all on public.notes to authenticated");
  admin = new pg.Client({ connectionString: stage.database.adminUrl });
  await admin.connect();
  cleanup.after(() => admin.end());
});
after(async () => {
  for (const close of closers) await close();
});

class Gone extends Error {}

async function isRunning(marker: string): Promise<boolean> {
  const { rowCount } = await admin.query(
    "select 1 from pg_stat_activity where state = 'active' and query like '%' || $1 || '%' and pid <> pg_backend_pid()",
    [marker],
  );
  return rowCount !== 0;
}

interface Sleeper {
  readonly running: Promise<unknown>;
  readonly marker: string;
  leave(): void;
}

async function startSleeper(pool: FairPool): Promise<Sleeper> {
  const marker = randomUUID();
  const controller = new AbortController();
  const running = run(
    pool,
    me,
    [`insert into public.notes (note) values ('${marker}')`, `select 1 /* ${marker} */ from pg_sleep(60)`],
    { signal: controller.signal },
  );
  running.catch(() => {});
  await until(() => isRunning(marker), "the statement runs");
  return { running, marker, leave: () => controller.abort(new Gone()) };
}

async function openSecurePool(): Promise<{ pool: FairPool; relay: Relay }> {
  const dataDir = await createTemporaryFolder(cleanup, "swarmbase-pipeline-");
  const { cert, key } = await loadTlsMaterial({
    dataDir,
    certFile: null,
    keyFile: null,
    clock: { now: () => new Date() },
  });
  const relay = await openRelay(cleanup, { target: stage.database.adminUrl, tls: { cert, key } });
  const { password, pathname } = new URL(stage.database.url("sb_user"));
  const pool = stage.openPool({
    connectionString: undefined,
    ...relay.config,
    user: "sb_user",
    password: decodeURIComponent(password),
    database: pathname.slice(1),
    // The relay's certificate is nobody's to trust; what is tried here is the path.
    ssl: { rejectUnauthorized: false },
  });
  return { pool, relay };
}

describe("a client that disconnects", () => {
  it("has its statement cancelled and rolled back, and the connection stays usable", async () => {
    const pool = stage.openPool();
    const pid = await queryPool(pool, "select pg_backend_pid()");
    const { running, marker, leave } = await startSleeper(pool);
    leave();
    await assert.rejects(running, Gone);
    assert.equal(await isRunning(marker), false);
    assert.equal(await ask(pool, me, "select count(*) from public.notes"), "0");
    assert.equal(await queryPool(pool, "select pg_backend_pid()"), pid);
  });

  it("before its transaction starts never starts it", async () => {
    const pool = stage.openPool();
    await assert.rejects(run(pool, me, ["select 1"], { signal: AbortSignal.abort(new Gone()) }), Gone);
    assert.equal(pool.totalCount, 0);
  });

  it("while it waits for a connection leaves the queue", async () => {
    const pool = stage.openPool();
    const client = await pool.connect();
    const controller = new AbortController();
    const waiting = run(pool, me, ["select 1"], { signal: controller.signal });
    const next = ask(pool, me, "select 'next'");
    controller.abort(new Gone());
    await assert.rejects(waiting, Gone);
    client.release();
    assert.equal(await next, "next");
    assert.equal(pool.idleCount, 1);
  });

  it("after the response changes nothing", async () => {
    const pool = stage.openPool();
    const controller = new AbortController();
    await run(pool, me, ["select 1"], { signal: controller.signal });
    controller.abort(new Gone());
    assert.equal(await ask(pool, me, "select 'next' from pg_sleep(0.05)"), "next");
  });

  it("at any moment does not cancel the next transaction", async () => {
    const pool = stage.openPool();
    let cancelled = 0;
    for (let round = 0; round < 60; round += 1) {
      const controller = new AbortController();
      const leaving = run(pool, me, ["select 'mine' from pg_sleep(0.004)"], { signal: controller.signal });
      const timer = setTimeout(() => controller.abort(new Gone()), round / 10);
      const next = ask(pool, me, `select '${round}' from pg_sleep(0.002)`);
      const [left, following] = await Promise.allSettled([leaving, next]);
      clearTimeout(timer);
      if (left.status === "rejected") {
        assert.ok(left.reason instanceof Gone, String(left.reason));
        cancelled += 1;
      }
      assert.deepEqual(following, { status: "fulfilled", value: String(round) });
    }
    assert.ok(cancelled > 0, "some were cancelled");
  });

  it("during the reset loses at most the connection", async () => {
    const pool = stage.openPool();
    for (let round = 0; round < 20; round += 1) {
      const controller = new AbortController();
      const leaving = run(pool, me, ["select set_config('app.mine', 'x', false)"], {
        signal: controller.signal,
        resetAfter: true,
      });
      setImmediate(() => controller.abort(new Gone()));
      await leaving.catch((error: unknown) => assert.ok(error instanceof Gone));
      assert.ok(!(await queryPool(pool, "select nullif(current_setting('app.mine', true), '')")));
    }
  });
});

describe("over TLS", () => {
  it("transactions run, and a cancel request is encrypted as well", async () => {
    const { pool, relay } = await openSecurePool();
    for (let time = 0; time < 3; time += 1) assert.equal(await ask(pool, me, "select $1::text", ["x"]), "x");
    const { running, leave } = await startSleeper(pool);
    leave();
    await assert.rejects(running, Gone);
    assert.ok(relay.cancelCount() >= 1, "it came as the first message inside TLS");
    assert.equal(await ask(pool, me, "select 'next'"), "next");
  });

  it("a statement that cannot be cancelled is abandoned together with its connection", async () => {
    const { pool, relay } = await openSecurePool();
    const { running, leave } = await startSleeper(pool);
    relay.refuse();
    leave();
    await assert.rejects(running, Gone);
    assert.equal(pool.totalCount, 0);
  });

  it("a server that stops responding is not waited for", async () => {
    const { pool, relay } = await openSecurePool();
    const { running, leave } = await startSleeper(pool);
    relay.onAnswer(() => Buffer.alloc(0));
    leave();
    await assert.rejects(running, Gone);
    assert.equal(pool.totalCount, 0);
  });
});
