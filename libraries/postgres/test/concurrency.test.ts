import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, it } from "node:test";
import fc from "fast-check";
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
const USERS = Array.from({ length: 20 }, () => randomUUID());
let stage: Stage;

before(async () => {
  stage = await openStage({ after: (close) => closers.unshift(close) });
  await stage.database.owner.query(
    `insert into auth.users (id, email) select id, id || '@example.test' from unnest($1::uuid[]) id`,
    [USERS],
  );
  await stage.database.owner.query(
    "insert into public.agents (user_id, name) select id, id::text from unnest($1::uuid[]) id",
    [USERS],
  );
  await stage.database.owner.query(`
    create table public.notes (id int primary key, parent int references public.notes deferrable initially deferred);
    grant all on public.notes to authenticated`);
});
after(async () => {
  for (const close of closers) await close();
});

it("200 concurrent transactions over five connections each see their own claims and rows", async () => {
  const pool = stage.openPool({ max: 5 });
  const transactions = Array.from({ length: 200 }, async (_, n) => {
    const id = USERS[n % USERS.length] ?? "";
    const claims = "select current_setting('request.jwt.claims')::json ->> 'sub'";
    const results = await run(pool, scopeOf(id), [claims, "select name from public.agents", `select ${n % 7}`]);
    assert.deepEqual(
      results.map(({ rows }) => rows),
      [[[id]], [[id]], [[String(n % 7)]]],
    );
  });
  const rejections = Array.from({ length: 40 }, () =>
    assert.rejects(ask(pool, ANON, "select name from public.agents"), { code: "42501" }),
  );
  await Promise.all([...transactions, ...rejections]);
  assert.equal(pool.totalCount, 5);
});

interface Trial {
  readonly statements: readonly { text: string; values: string[] }[];
  readonly changes: { resetAfter?: boolean; rollback?: boolean };
  readonly user: string;
  /** What is answered, or the SQLSTATE. */
  readonly expected: readonly string[] | string;
}

const MISHAPS = [
  { text: "select 1 / $1::int", values: ["0"], code: "22012" },
  { text: "selec $1", values: ["0"], code: "42601" },
  { text: "select $1::int", values: ["x"], code: "22P02" },
  { text: "select nothing($1)", values: ["0"], code: "42883" },
  { text: "insert into public.notes values (1, $1::int)", values: ["99"], code: "23503" },
  { text: "select $1", values: [], code: "08P01" },
];
const TEXTS = [
  (value: string) => ({ text: "select $1::text || auth.uid()", values: [value] }),
  (value: string) => ({ text: "select $1::text || (select name from public.agents)", values: [value] }),
  (value: string) => ({ text: `select $1::text || auth.uid() /* ${value.length} */`, values: [value] }),
];

const good = fc.tuple(
  fc.constantFrom(...TEXTS),
  fc.string({ maxLength: 8 }).filter((value) => !value.includes("\0")),
);
const changes = fc.record({ resetAfter: fc.boolean(), rollback: fc.boolean() }, { requiredKeys: [] });
const trial: fc.Arbitrary<Trial> = fc
  .tuple(
    fc.array(good, { minLength: 1, maxLength: 4 }),
    fc.option(fc.tuple(fc.constantFrom(...MISHAPS), fc.nat(4)), { freq: 1 }),
    fc.constantFrom(...USERS),
    changes,
  )
  .map(([goods, mishap, user, changes]) => {
    const statements = goods.map(([make, value]) => make(value));
    const answers = goods.map(([, value]) => value + user);
    if (mishap === null) return { statements, changes, user, expected: answers };
    const [{ code, ...bad }, at] = mishap;
    return { statements: statements.toSpliced(at, 0, bad), changes, user, expected: code };
  });

async function attempt(pool: FairPool, { statements, changes, user }: Trial): Promise<unknown> {
  try {
    const results = await run(pool, scopeOf(user), statements, changes);
    return results.map(({ rows }) => rows[0]?.[0]);
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
}

it("each transaction gets its own results or its own error, whatever ran before on the connection", async () => {
  const pool = stage.openPool();
  const pid = await queryPool(pool, "select pg_backend_pid()");
  await fc.assert(
    fc.asyncProperty(fc.array(trial, { minLength: 1, maxLength: 12 }), async (trials) => {
      const answers = await Promise.all(trials.map((trial) => attempt(pool, trial)));
      assert.deepEqual(
        answers,
        trials.map(({ expected }) => expected),
      );
    }),
    { numRuns: 100 },
  );
  assert.equal(await queryPool(pool, "select pg_backend_pid()"), pid, "no error cost the connection");
  const kept = await stage.database.owner.query("select 1 from public.notes");
  assert.equal(kept.rowCount, 0);
  assert.ok((await countPrepared(pool)) <= 200);
});

it("a result of 100 MB arrives complete, and other transactions proceed meanwhile", async () => {
  const pool = stage.openPool({ max: 2 });
  // The server's clock runs while it sends, and a busy machine takes its time.
  const me = scopeOf(USERS[0] ?? "", { statementTimeoutMs: 120_000 });
  let isDone = false;
  const large = run(pool, me, ["select repeat('x', 10000) from generate_series(1, 10000)"]).finally(() => {
    isDone = true;
  });
  let others = 0;
  for (; !isDone; others += 1) await ask(pool, me, "select 1");
  const [many] = await large;
  assert.equal(many?.rows.length, 10_000);
  assert.ok(many.rows.every(([text]) => text?.length === 10_000));
  assert.ok(others > 10, `${others} others came through meanwhile`);
  const [one] = await run(pool, me, ["select repeat('x', 100000000)"]);
  assert.equal(one?.rows[0]?.[0]?.length, 100_000_000);
});
