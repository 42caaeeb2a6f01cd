import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError } from "../../src/errors/index.ts";
import { ask, openStage, scopeOf } from "./pipeline-stage.ts";

const ME = "00000000-0000-7000-8000-000000000001";

test("when fifty requests wait for a connection the next one is rejected at once, and the waiting ones are served", async (t) => {
  const stage = await openStage(t);
  const pool = stage.openPool({ max: 1 });
  const scope = scopeOf(ME);
  const holder = await pool.connect();
  const waiting = Array.from({ length: 50 }, () => ask(pool, scope, "select 'served'"));
  assert.equal(pool.waitingCount, 50);

  await assert.rejects(ask(pool, scope, "select 1"), (error: unknown) => {
    assert.ok(error instanceof AppError);
    assert.equal(error.status, 503);
    assert.ok((error.extra.retryAfterSeconds ?? 0) > 0);
    return true;
  });
  assert.equal(pool.waitingCount, 50);

  holder.release();
  assert.deepEqual(new Set(await Promise.all(waiting)), new Set(["served"]));
  assert.equal(await ask(pool, scope, "select 'again'"), "again");
});
