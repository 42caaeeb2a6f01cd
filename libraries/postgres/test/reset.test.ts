import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import type { FairPool } from "../src/fair-pool.ts";
import {
  ask,
  countPrepared,
  run,
  queryPool,
  openStage,
  type Stage,
  scopeOf,
} from "../../../server/test/support/pipeline-stage.ts";

const closers: (() => Promise<void>)[] = [];
const me = scopeOf(randomUUID());
let stage: Stage;

/** What a function that somebody has added might do. */
const FUNCTIONS = `
  create function public.keep_settings() returns text language sql as
    $$ select set_config('request.jwt.claims', '{"sub":"stolen"}', false) || set_config('search_path', 'pg_temp', false)
       || set_config('role', 'anon', false) || set_config('statement_timeout', '60000', false)
       || set_config('app.mine', 'x', false) || set_config('default_transaction_read_only', 'on', false) $$;
  create function public.keep_lock() returns void language sql as $$ select pg_advisory_lock(42) $$;
  create function public.keep_lock_and_fail() returns int language sql as
    $$ select pg_advisory_lock(42); select 1 / 0 $$;
  create function public.keep_ear() returns void language plpgsql as $$ begin listen rumours; end $$;
  create function public.keep_cursor() returns void language plpgsql as
    $$ begin execute 'declare held cursor with hold for select 1'; end $$;
  create function public.keep_statement() returns void language plpgsql as
    $$ begin execute 'prepare mine as select 1'; end $$;
  create function public.take_statement(name text) returns void language plpgsql as
    $$ begin execute format('deallocate %I', name); execute format('prepare %I as select ''forged''', name); end $$;
  create function public.drop_statements() returns void language plpgsql as $$ begin execute 'deallocate all'; end $$;
  create function public.rise(target text, is_local boolean) returns text language sql as
    $$ select set_config('role', target, is_local) $$;
  grant execute on all functions in schema public to authenticated`;

before(async () => {
  stage = await openStage({ after: (close) => closers.unshift(close) });
  await stage.database.owner.query(FUNCTIONS);
});
after(async () => {
  for (const close of closers) await close();
});

const call = (pool: FairPool, text: string) => run(pool, me, [text], { resetAfter: true });
const backend = (pool: FairPool): Promise<unknown> => queryPool(pool, "select pg_backend_pid()");

describe("after a foreign function", () => {
  it("settings, locks, listeners and cursors are gone, and the connection and our statements stay", async () => {
    const pool = stage.openPool();
    for (let time = 0; time < 2; time += 1) await ask(pool, me, "select 'ours'");
    const pid = await backend(pool);
    const state = `select concat_ws('|', current_user, nullif(current_setting('request.jwt.claims', true), ''), current_setting('search_path'),
      current_setting('statement_timeout'), nullif(current_setting('app.mine', true), ''), current_setting('default_transaction_read_only'),
      (select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()), (select count(*) from pg_listening_channels()),
      (select count(*) from pg_cursors where name <> ''))`;
    const before = await queryPool(pool, state);
    for (const name of ["keep_settings", "keep_lock", "keep_ear", "keep_cursor"]) {
      await call(pool, `select public.${name}()`);
      assert.equal(await queryPool(pool, state), before, name);
    }
    assert.equal(await backend(pool), pid);
    const prepared = await queryPool(pool, "select string_agg(name, ' ' order by name) from pg_prepared_statements");
    assert.equal(prepared, "authenticated_2 login_1");
  });

  it("settings and locks remain without the reset", async () => {
    const pool = stage.openPool();
    await run(pool, me, ["select pg_advisory_lock(43)", "select set_config('app.mine', 'x', false)"]);
    assert.equal(await queryPool(pool, "select current_setting('app.mine', true)"), "x");
    assert.equal(
      await queryPool(
        pool,
        "select count(*)::int from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()",
      ),
      1,
    );
  });

  it("that failed, the reset runs as well", async () => {
    const pool = stage.openPool();
    const pid = await backend(pool);
    await assert.rejects(call(pool, "select public.keep_lock_and_fail()"), { code: "22012" });
    assert.equal(
      await queryPool(
        pool,
        "select count(*)::int from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()",
      ),
      0,
    );
    assert.equal(await ask(pool, me, "select 'next'"), "next");
    assert.equal(await backend(pool), pid);
  });

  it("that prepared statements, the connection is not used again", async () => {
    const pool = stage.openPool();
    for (let time = 0; time < 3; time += 1) await ask(pool, me, "select 'ours'");
    const pid = await backend(pool);
    await call(pool, "select public.take_statement('authenticated_2')");
    assert.equal(await ask(pool, me, "select 'ours'"), "ours");
    assert.notEqual(await backend(pool), pid);
    await call(pool, "select public.keep_statement()");
    assert.equal(await countPrepared(pool), 0);
  });

  it("that deallocated our statements, they are prepared again", async () => {
    const pool = stage.openPool();
    for (let time = 0; time < 3; time += 1) await ask(pool, me, "select 'ours'");
    const pid = await backend(pool);
    await call(pool, "select public.drop_statements()");
    assert.equal(await ask(pool, me, "select 'ours'"), "ours");
    assert.equal(await backend(pool), pid);
  });

  it("results are complete, also with a rollback", async () => {
    const pool = stage.openPool();
    for (const rollback of [false, true]) {
      const results = await run(pool, me, ["select 1", "select 2"], { resetAfter: true, rollback });
      assert.deepEqual(
        results.map(({ rows }) => rows),
        [[["1"]], [["2"]]],
      );
    }
  });
});

describe("a function that tries to change its role", () => {
  for (const role of ["service_role", "sb_service", "swarmbase_owner", "postgres"]) {
    it(`cannot become ${role}`, async () => {
      const pool = stage.openPool();
      for (const isLocal of [true, false]) {
        await assert.rejects(call(pool, `select public.rise('${role}', ${isLocal})`), { code: "42501" });
      }
      assert.equal(await ask(pool, me, "select current_user::text"), "authenticated");
    });
  }

  it("keeps a permitted role no longer than its transaction", async () => {
    const pool = stage.openPool();
    for (const isLocal of [true, false]) {
      const [, after] = await run(pool, me, [`select public.rise('anon', ${isLocal})`, "select current_user::text"], {
        resetAfter: true,
      });
      assert.equal(after?.rows[0]?.[0], "anon");
      assert.equal(await queryPool(pool, "select current_user::text"), "sb_user");
      assert.equal(await ask(pool, me, "select current_user::text"), "authenticated");
    }
  });
});
