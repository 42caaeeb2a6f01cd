import assert from "node:assert/strict";
import { test } from "node:test";
import type pg from "pg";
import { openStage } from "../../../server/test/support/pipeline-stage.ts";

test("of its idle connections a pool uses the oldest, whichever was returned last", async (t) => {
  const stage = await openStage(t);
  const pool = stage.openPool({ max: 3 });
  const opened = await holdTogether(pool, 3);

  assert.deepEqual(await holdTogether(pool, 2), opened.slice(0, 2));
  assert.deepEqual(await holdTogether(pool, 1), opened.slice(0, 1));
});

/** Holds connections at the same time and returns them in the order in which it got them; resolves to their processes. */
async function holdTogether(pool: pg.Pool, count: number): Promise<number[]> {
  const held: pg.PoolClient[] = [];
  while (held.length < count) held.push(await pool.connect());
  try {
    return await Promise.all(held.map(pidOf));
  } finally {
    for (const client of held) client.release();
  }
}

async function pidOf(client: pg.PoolClient): Promise<number> {
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  return rows[0]?.pid ?? 0;
}
