import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError } from "../../src/errors/index.ts";
import { ask, openRoom, scopeOf } from "./pipeline-room.ts";

const ME = "00000000-0000-7000-8000-000000000001";

test("beyond fifty that wait for a connection the next is refused at once, and those that wait are served", async (t) => {
  const room = await openRoom(t);
  const pool = room.openPool({ max: 1 });
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
