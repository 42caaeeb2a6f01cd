import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { PreparedStatements } from "../src/prepared-statements.ts";
import type { FairPool } from "../src/fair-pool.ts";
import {
  ANON,
  ask,
  countPrepared,
  run,
  queryPool,
  openStage,
  type Stage,
  scopeOf,
} from "../../../server/test/support/pipeline-stage.ts";

const closers: (() => Promise<void>)[] = [];
const ME = randomUUID();
const me = scopeOf(ME);
let stage: Stage;

before(async () => {
  stage = await openStage({ after: (close) => closers.unshift(close) });
  await stage.database.owner.query(`
    insert into auth.users (id, email) values ('${ME}', 'me@example.test');
    create table public.notes (id int primary key, text text);
    grant all on public.notes to authenticated`);
});
after(async () => {
  for (const close of closers) await close();
});

async function listPrepared(pool: FairPool): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>("select name from pg_prepared_statements order by name");
  return rows.map(({ name }) => name);
}

describe("the text of a statement", () => {
  it("is prepared at its second use, under a name that contains the role", async () => {
    const pool = stage.openPool();
    await ask(pool, me, "select 'a'");
    assert.deepEqual(await listPrepared(pool), []);
    await ask(pool, me, "select 'a'");
    assert.deepEqual(await listPrepared(pool), ["authenticated_2", "login_1"]);
    for (let time = 0; time < 5; time += 1) await ask(pool, me, "select 'a'");
    assert.equal(await countPrepared(pool), 2);
  });

  it("is prepared once per role, so that alternating roles do not replan it", async () => {
    const pool = stage.openPool();
    const text = "select current_user::text";
    for (let time = 0; time < 12; time += 1) {
      assert.equal(await ask(pool, me, text), "authenticated");
      assert.equal(await ask(pool, ANON, text), "anon");
    }
    const names = await listPrepared(pool);
    assert.deepEqual(
      names.map((name) => name.replace(/_\d+$/, "")),
      ["anon", "authenticated", "login"],
    );
  });

  it("may occur several times in one transaction", async () => {
    const pool = stage.openPool();
    const same = { text: "select $1::text", values: ["a"] };
    for (let time = 0; time < 3; time += 1) {
      const results = await run(pool, me, [
        same,
        { ...same, values: ["b"] },
        "select 'other'",
        { ...same, values: ["c"] },
      ]);
      assert.deepEqual(
        results.map(({ rows }) => rows[0]?.[0]),
        ["a", "b", "other", "c"],
      );
    }
    assert.equal(await countPrepared(pool), 3);
  });

  it("is never kept when it is very long", async () => {
    const pool = stage.openPool();
    const long = `select '${"x".repeat(40_000)}'`;
    for (let time = 0; time < 3; time += 1) await ask(pool, me, long);
    assert.deepEqual(await listPrepared(pool), ["login_1"]);
  });
});

describe("at most 200 statements", () => {
  it("are kept on a connection, the most recently used ones", async () => {
    const pool = stage.openPool();
    for (let shape = 0; shape < 300; shape += 1) {
      for (let time = 0; time < 2; time += 1) {
        assert.equal(await ask(pool, me, `select ${shape}`), String(shape));
      }
      await ask(pool, me, "select 'always'");
    }
    assert.equal(await countPrepared(pool), 200);
    const kept = String(await queryPool(pool, "select string_agg(statement, '|') from pg_prepared_statements"));
    assert.match(kept, /always/);
    assert.match(kept, /select 299(\||$)/);
    assert.doesNotMatch(kept, /select 50(\||$)/);
    for (const shape of [0, 299, 150]) assert.equal(await ask(pool, me, `select ${shape}`), String(shape));
  });

  it("are kept also when one transaction uses more", async () => {
    const pool = stage.openPool();
    const texts = Array.from({ length: 250 }, (_, shape) => `select ${shape}`);
    for (let time = 0; time < 4; time += 1) {
      const results = await run(pool, me, texts);
      assert.deepEqual(
        results.map(({ rows }) => rows[0]?.[0]),
        texts.map((_, shape) => String(shape)),
      );
    }
    assert.equal(await countPrepared(pool), 200);
  });
});

describe("a statement that never reached the server", () => {
  it("because the session had ended at its first use does not count as prepared", async () => {
    const pool = stage.openPool();
    const sessionId = randomUUID();
    const session = { userId: ME, sessionId, inactivitySeconds: 0 };
    const dead = scopeOf(ME, { session });
    for (let time = 0; time < 4; time += 1) {
      await assert.rejects(ask(pool, dead, "select 'first'"), { code: "SB001" });
    }
    await stage.database.owner.query(
      "insert into auth.sessions (id, user_id, refresh_key_wrapped, refreshed_at) values ($1, $2, '', now())",
      [sessionId, ME],
    );
    for (let time = 0; time < 3; time += 1) assert.equal(await ask(pool, dead, "select 'first'"), "first");
    assert.equal(await countPrepared(pool), 2);
  });

  it("because an earlier one of its transaction failed does not count as prepared", async () => {
    const pool = stage.openPool();
    for (let time = 0; time < 3; time += 1) {
      await assert.rejects(run(pool, me, ["select 1 / 0", "select 'later'"]), { code: "22012" });
    }
    assert.equal(await ask(pool, me, "select 'later'"), "later");
  });

  it("because it does not parse fails the same way each time", async () => {
    const pool = stage.openPool();
    for (let time = 0; time < 3; time += 1) await assert.rejects(ask(pool, me, "selec"), { code: "42601" });
    assert.equal(await ask(pool, me, "select 'next'"), "next");
  });
});

describe("a statement that is stale", () => {
  const shape = "select * from public.changing";
  const make = (columns: string): Promise<unknown> =>
    stage.database.owner.query(
      `drop table if exists public.changing; create table public.changing (${columns});
       insert into public.changing default values; grant all on public.changing to authenticated`,
    );

  it("because its result has changed is prepared again", async () => {
    const pool = stage.openPool();
    await make("a int default 1");
    for (let time = 0; time < 3; time += 1) assert.equal(await ask(pool, me, shape), "1");
    await make("a text default 'one', b int");
    for (let time = 0; time < 3; time += 1) assert.equal(await ask(pool, me, shape), "one");
    assert.equal(await countPrepared(pool), 2);
  });

  it("is prepared again with the others of its transaction, and a write before it happens once", async () => {
    const pool = stage.openPool();
    await make("a int default 1");
    const insert = "insert into public.notes (id) select coalesce(max(id), 0) + 1 from public.notes returning id";
    const twice = [insert, shape, "select 'x'", "select * from public.changing where true"];
    for (let time = 1; time <= 3; time += 1) assert.equal((await run(pool, me, twice))[0]?.rows[0]?.[0], String(time));
    await make("a text default 'one', b int");
    const results = await run(pool, me, twice);
    assert.deepEqual(
      results.map(({ rows }) => rows[0]?.[0]),
      ["4", "one", "x", "one"],
    );
    assert.equal(await ask(pool, me, "select count(*) from public.notes"), "4");
  });

  it("because it was deallocated is prepared again", async () => {
    const pool = stage.openPool();
    for (let time = 0; time < 3; time += 1) await ask(pool, me, "select 'a'");
    await pool.query("deallocate all");
    for (let time = 0; time < 3; time += 1) assert.equal(await ask(pool, me, "select 'a'"), "a");
    assert.equal(await countPrepared(pool), 2);
  });

  it("is not repeated after a foreign function has run", async () => {
    const pool = stage.openPool();
    await stage.database.owner.query("create sequence public.calls; grant all on public.calls to authenticated");
    await make("a int default 1");
    const call = ["select nextval('public.calls')", shape];
    for (let time = 0; time < 3; time += 1) await run(pool, me, call, { resetAfter: true });
    await make("a text default 'one'");
    await assert.rejects(run(pool, me, call, { resetAfter: true }), { code: "0A000" });
    const [called] = await run(pool, me, call, { resetAfter: true });
    assert.equal(called?.rows[0]?.[0], "5");
  });

  it("is not confused with the same error raised inside a statement", async () => {
    const pool = stage.openPool();
    await stage.database.owner.query(
      `create function public.refuse(code text) returns void language plpgsql as
         $$ begin perform nextval('public.refusals'); raise exception 'no' using errcode = code; end $$;
       create sequence public.refusals; grant all on public.refusals to authenticated;
       grant execute on function public.refuse(text) to authenticated`,
    );
    for (const code of ["26000", "0A000", "26000", "0A000"]) {
      await assert.rejects(ask(pool, me, "select public.refuse($1)", [code]), { code });
    }
    assert.equal(await ask(pool, me, "select last_value from public.refusals"), "4");
  });
});

describe("the list of prepared statements", () => {
  it("forgets statements that were not parsed by the end of the transaction", () => {
    const statements = new PreparedStatements(2);
    statements.beginTransaction();
    assert.deepEqual(statements.use("r", "a"), { name: "", mustParse: true, statement: null });
    const second = statements.use("r", "a");
    assert.deepEqual([second.name, second.mustParse], ["r_1", true]);
    assert.equal(statements.use("r", "a").mustParse, false);
    statements.endTransaction();
    assert.equal(statements.count, 0);
  });

  it("closes the least recently used statement, and none in use", () => {
    const statements = new PreparedStatements(2);
    const name = (text: string): string => {
      statements.use("r", text);
      const use = statements.use("r", text);
      if (use.statement !== null) use.statement.isParsed = true;
      return use.name;
    };
    statements.beginTransaction();
    assert.deepEqual([name("a"), name("b"), name("c")], ["r_1", "r_2", ""]);
    statements.endTransaction();
    statements.beginTransaction();
    statements.use("r", "a");
    assert.equal(name("d"), "r_3");
    assert.deepEqual(statements.takeClosing(), ["r_2"]);
    assert.deepEqual(statements.takeClosing(), []);
    assert.equal(statements.count, 2);
  });
});
