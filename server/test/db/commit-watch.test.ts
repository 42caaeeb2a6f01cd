import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { CommitWatch } from "../../src/db/index.ts";
import { createTestDatabase } from "../support/database.ts";

const INTERVAL_MS = 2;
const TIMEOUT_MS = 60_000;

type Answer = () => Promise<string>;

/** A database that answers with one snapshot after the other, and the last again and again. */
function watchSnapshots(t: TestContext, ...answers: readonly Answer[]) {
  let asked = 0;
  const versions: number[] = [];
  const query = async (): Promise<{ rows: readonly object[] }> => {
    versions.push(watch.version);
    const answer = answers[Math.min(asked, answers.length - 1)];
    asked += 1;
    return { rows: [{ snapshot: await answer?.() }] };
  };
  const watch = new CommitWatch({ query } as unknown as pg.Pool);
  const ending = new AbortController();
  const running = watch.run(ending.signal, INTERVAL_MS);
  const end = async (): Promise<void> => {
    ending.abort();
    await running;
  };
  t.after(end);
  return { watch, versions, end };
}

const says =
  (snapshot: string): Answer =>
  async () =>
    snapshot;
const fails: Answer = () => Promise.reject(new Error("down"));

test("notices what another connection commits, also while older transactions are open", async (t) => {
  const { owner, url } = await createTestDatabase(t);
  await owner.query("create table notes (id int)");
  const pool = new pg.Pool({ connectionString: url("sb_service"), max: 1 });
  const older = new pg.Client({ connectionString: url("swarmbase_owner") });
  await older.connect();
  await older.query("begin");
  await older.query("insert into notes values (1)");
  const readSnapshot = async (): Promise<string> => {
    const { rows } = await pool.query("select pg_current_snapshot()::text as snapshot");
    return rows[0].snapshot;
  };
  const watch = new CommitWatch(pool);
  const ending = new AbortController();
  const running = watch.run(ending.signal, INTERVAL_MS);
  for (const commit of [() => owner.query("insert into notes values (2)"), () => older.query("commit")]) {
    const before = await readSnapshot();
    await watch.after(watch.version, AbortSignal.any([AbortSignal.timeout(INTERVAL_MS * 20), ending.signal]));
    const { version } = watch;
    await commit();
    assert.notEqual(await readSnapshot(), before);
    await watch.after(version, AbortSignal.timeout(TIMEOUT_MS));
    assert.notEqual(watch.version, version);
  }
  ending.abort();
  await running;
  await Promise.all([older.end(), pool.end()]);
});

test("keeps its version between equal snapshots, and changes it with the next other one", async (t) => {
  const { versions, end } = watchSnapshots(t, ...Array<Answer>(5).fill(says("7:7:")), says("8:8:"));
  while (versions.length < 7) await sleep(INTERVAL_MS);
  await end();
  // The first is from before the first answer.
  const [, first, ...others] = versions;
  assert.deepEqual(others.slice(0, 4), Array(4).fill(first));
  assert.notEqual(others[4], first);
});

test("counts each look as a commit while the database does not answer, and after the end", async (t) => {
  const { watch, end } = watchSnapshots(t, says("7:7:"), fails, says("7:7:"));
  await watch.after(watch.version, AbortSignal.timeout(TIMEOUT_MS));
  await watch.after(watch.version, AbortSignal.timeout(TIMEOUT_MS));
  await end();
  const { version } = watch;
  assert.notEqual(watch.version, version);
  await watch.after(version, AbortSignal.timeout(TIMEOUT_MS));
});

test("a wait that is given up ends with its signal, and one that was stopped is not called back", async (t) => {
  const { watch } = watchSnapshots(t, says("7:7:"), says("7:7:"), says("8:8:"));
  await watch.after(watch.version, AbortSignal.timeout(TIMEOUT_MS));
  await watch.after(watch.version, AbortSignal.abort());
  watch.onceAfter(watch.version, () => assert.fail("it was stopped"))();
  await watch.after(watch.version, AbortSignal.timeout(TIMEOUT_MS));
});
