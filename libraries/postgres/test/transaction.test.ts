import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import type { FairPool } from "../src/fair-pool.ts";
import {
  ANON,
  ask,
  run,
  queryPool,
  openStage,
  type Stage,
  scopeOf,
  runPipelined,
} from "../../../server/test/support/pipeline-stage.ts";

const closers: (() => Promise<void>)[] = [];
const ME = randomUUID();
const OTHER = randomUUID();
let stage: Stage;
let pool: FairPool;

before(async () => {
  stage = await openStage({ after: (close) => closers.unshift(close) });
  await stage.database.owner.query(`
    insert into auth.users (id, email) values ('${ME}', 'me@example.test'), ('${OTHER}', 'other@example.test');
    create table public.notes (id int primary key, text text, parent int references public.notes deferrable initially deferred);
    grant all on public.notes to authenticated;
    create function public.speak() returns text language plpgsql as
      $$ begin raise notice 'heard'; set local application_name = 'told'; return 'spoken'; end $$;
    grant execute on function public.speak() to authenticated`);
  pool = stage.openPool();
});
after(async () => {
  for (const close of closers) await close();
});

const me = scopeOf(ME);
const countNotes = (): Promise<string | null> => ask(pool, me, "select count(*) from public.notes");
const clear = (): Promise<unknown> => stage.database.owner.query("truncate public.notes");

describe("a pipelined transaction", () => {
  it("returns one result per statement, in order, with rows in the server's text format", async () => {
    const [one, two, three, four] = await run(pool, me, [
      "select 1, null, true, 'ä'::text",
      { text: "insert into public.notes (id, text) select n, $2 from generate_series(1, $1::int) n", values: [3, "x"] },
      "select json_agg(n order by n.id)::text from public.notes n",
      "",
    ]);
    assert.deepEqual(one, { rows: [["1", null, "t", "ä"]], commandTag: "SELECT 1", rowCount: 1 });
    assert.deepEqual(two, { rows: [], commandTag: "INSERT 0 3", rowCount: 3 });
    assert.equal(JSON.parse(String(three?.rows[0]?.[0])).length, 3);
    assert.deepEqual(four, { rows: [], commandTag: "", rowCount: 0 });
    assert.equal(await countNotes(), "3");
    await clear();
  });

  it("sees the rows that the caller's row-level policies allow", async () => {
    await stage.database.owner.query("insert into public.agents (user_id, name) values ($1, 'mine'), ($2, 'theirs')", [
      ME,
      OTHER,
    ]);
    const names = "select string_agg(name, ',') from public.agents";
    assert.equal(await ask(pool, me, names), "mine");
    assert.equal(await ask(pool, scopeOf(OTHER), names), "theirs");
    await assert.rejects(ask(pool, ANON, names), { code: "42501" });
  });

  it("is one transaction and one write", async () => {
    const client = await pool.connect();
    const { stream } = (client as unknown as { connection: { stream: { _writev: unknown; _write: unknown } } })
      .connection;
    let writes = 0;
    const { _writev, _write } = stream;
    const count = (original: unknown) =>
      function (this: unknown, ...args: unknown[]): unknown {
        writes += 1;
        return (original as (...args: unknown[]) => unknown).apply(this, args);
      };
    Object.assign(stream, { _writev: count(_writev), _write: count(_write) });
    client.release();
    const transaction = "select pg_current_xact_id()::text";
    const [one, two] = await run(pool, me, [transaction, transaction]);
    Object.assign(stream, { _writev, _write });
    assert.equal(one?.rows[0]?.[0], two?.rows[0]?.[0]);
    assert.equal(writes, 1);
  });

  it("leaves neither role nor claims nor settings to the next one", async () => {
    const state = `select current_user || coalesce(current_setting('request.jwt.claims', true), '')
      || current_setting('transaction_read_only') || current_setting('statement_timeout')`;
    await ask(pool, scopeOf(ME, { isReadOnly: true }), "select 1");
    assert.equal(await queryPool(pool, state), "sb_useroff0");
    await assert.rejects(ask(pool, me, "select 1 / 0"), { code: "22012" });
    assert.equal(await queryPool(pool, state), "sb_useroff0");
  });

  it("rolls everything back when a statement fails, and the connection stays usable", async () => {
    const pid = await queryPool(pool, "select pg_backend_pid()");
    const insert = "insert into public.notes (id) values (1)";
    await assert.rejects(run(pool, me, [insert, "select 1 / 0", "insert into public.notes (id) values (2)"]), {
      code: "22012",
    });
    await assert.rejects(run(pool, me, ["selec 1", insert]), { code: "42601" });
    await assert.rejects(run(pool, me, [insert, insert]), { code: "23505", constraint: "notes_pkey" });
    assert.equal(await countNotes(), "0");
    assert.equal(await queryPool(pool, "select pg_backend_pid()"), pid);
  });

  it("runs nothing when entering fails", async () => {
    const forbidden = scopeOf(ME, { role: "service_role" });
    for (let time = 0; time < 3; time += 1) {
      await assert.rejects(run(pool, forbidden, ["insert into public.notes (id) values (1)"]), { code: "42501" });
    }
    assert.equal(await countNotes(), "0");
  });

  it("fails when a deferred constraint fails, after the rows", async () => {
    const orphan = "insert into public.notes (id, parent) values (1, 99) returning id";
    for (let time = 0; time < 3; time += 1) {
      await assert.rejects(run(pool, me, [orphan]), { code: "23503" });
    }
    assert.equal(await countNotes(), "0");
    assert.equal(await ask(pool, me, "select 'next'"), "next");
  });

  it("writes nothing in a read-only scope", async () => {
    const reader = scopeOf(ME, { isReadOnly: true });
    await assert.rejects(run(pool, reader, ["insert into public.notes (id) values (1)"]), { code: "25006" });
    await assert.rejects(
      run(pool, reader, [
        "select set_config('transaction_read_only', 'off', true)",
        "insert into public.notes (id) values (1)",
      ]),
      { code: "25001" },
    );
  });

  it("ends at the statement timeout", async () => {
    const hasty = scopeOf(ME, { statementTimeoutMs: 50 });
    await assert.rejects(ask(pool, hasty, "select pg_sleep(20)"), { code: "57014" });
    assert.equal(await ask(pool, me, "select 'next'"), "next");
  });

  it("ends when its statements together take longer than the statement timeout, and is rolled back", async () => {
    const hasty = scopeOf(ME, { statementTimeoutMs: 300 });
    const naps = Array.from({ length: 40 }, () => "select pg_sleep(0.05)");
    await assert.rejects(run(pool, hasty, ["insert into public.notes (id) values (77)", ...naps]), {
      code: "57014",
      message: "canceling statement due to statement timeout",
    });
    assert.equal(await ask(pool, me, "select count(*) from public.notes where id = 77"), "0");
  });

  it("does not wait for a lock longer than the lock timeout", async () => {
    const { owner } = stage.database;
    await owner.query("begin; lock table public.notes");
    try {
      const hasty = scopeOf(ME, { lockTimeoutMs: 50 });
      await assert.rejects(ask(pool, hasty, "delete from public.notes"), { code: "55P03" });
    } finally {
      await owner.query("rollback");
    }
    assert.equal(await ask(pool, me, "select current_setting('lock_timeout')"), "0");
  });

  it("is not disturbed by notices and changed parameters", async () => {
    assert.equal(await ask(pool, me, "select public.speak()"), "spoken");
    assert.equal(await ask(pool, me, "select set_config('TimeZone', 'Asia/Tokyo', true)"), "Asia/Tokyo");
  });
});

describe("a pipelined transaction with the rollback option", () => {
  it("returns results and changes nothing", async () => {
    const [inserted, seen] = await run(
      pool,
      me,
      ["insert into public.notes (id) values (1), (2) returning id", "select count(*) from public.notes"],
      { rollback: true },
    );
    assert.deepEqual(inserted?.rows, [["1"], ["2"]]);
    assert.deepEqual(seen?.rows, [["2"]]);
    assert.equal(await countNotes(), "0");
    assert.equal(await queryPool(pool, "select current_user::text"), "sb_user");
  });

  it("fails where the commit would have failed", async () => {
    const orphan = "insert into public.notes (id, parent) values (1, 99) returning id";
    await assert.rejects(run(pool, me, [orphan], { rollback: true }), { code: "23503" });
    await assert.rejects(run(pool, me, ["select 1 / 0"], { rollback: true }), { code: "22012" });
    assert.equal(await countNotes(), "0");
  });
});

describe("values", () => {
  it("arrive unchanged, whatever they contain", async () => {
    const hostile = `'"\\{},;--$1 \u2028 \ud83d\ude00 null`;
    const [result] = await run(pool, me, [
      {
        text: "select $1::text, $2::int, $3::bool, $4::timestamptz = '2026-01-02T03:04:05.678Z', $5::bytea, $6::text[], $7::int[], $8::text, $9::int8",
        values: [
          hostile,
          -7,
          false,
          new Date("2026-01-02T03:04:05.678Z"),
          Buffer.from([0, 255]),
          [hostile, null, "", "NULL"],
          [
            [1, 2],
            [3, 4],
          ],
          null,
          2n ** 62n,
        ],
      },
    ]);
    const [text, int, bool, date, bytes, list, grid, nothing, big] = result?.rows[0] ?? [];
    assert.deepEqual(
      [text, int, bool, date, bytes, grid, nothing, big],
      [hostile, "-7", "f", "t", "\\x00ff", "{{1,2},{3,4}}", null, "4611686018427387904"],
    );
    const back = await pool.query<{ list: unknown }>("select $1::text[] as list", [list]);
    assert.deepEqual(back.rows[0]?.list, [hostile, null, "", "NULL"]);
  });

  it("with a zero byte are rejected by the server, in the text of a statement by the pipeline", async () => {
    await assert.rejects(ask(pool, me, "select $1::text", ["a\0b"]), { code: "22021" });
    await assert.rejects(ask(pool, me, "select 1\0; drop table public.notes"), RangeError);
    await assert.rejects(
      ask(
        pool,
        me,
        "select 1",
        Array.from({ length: 65_536 }, () => "1"),
      ),
      RangeError,
    );
    await assert.rejects(ask(pool, me, "select 1", ["one too many"]), { code: "08P01" });
    assert.equal(await ask(pool, me, "select 'next'"), "next");
  });
});

describe("a statement that the pipeline does not support", () => {
  it("is an error and closes the connection, without an effect on the next transaction", async () => {
    await assert.rejects(run(pool, me, ["copy (select 1) to stdout"]), /cannot copy/);
    assert.equal(await ask(pool, me, "select 'next'"), "next");
    await assert.rejects(run(pool, me, ["copy public.notes from stdin"]), /cannot copy/);
    assert.equal(await ask(pool, me, "select 'next'"), "next");
  });

  it("that leaves a transaction open does not affect the next one", async () => {
    const pid = await queryPool(pool, "select pg_backend_pid()");
    await assert.rejects(run(pool, me, ["begin"]), /left a transaction open/);
    assert.equal(await queryPool(pool, "select current_user::text"), "sb_user");
    assert.notEqual(await queryPool(pool, "select pg_backend_pid()"), pid);
  });
});

it("a result that is too large is rejected before it has been read completely", async () => {
  const endless = "select repeat('x', 1000000) from generate_series(1, 1000)";
  await assert.rejects(
    runPipelined(pool, { scope: me, statements: [{ text: endless, values: [] }], maxResultBytes: 3_000_000 }),
    { status: 413, message: /larger than 3000000 bytes/ },
  );
  assert.equal(await ask(pool, me, "select 'next'"), "next");
});
