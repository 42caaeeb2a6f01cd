import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { AppError } from "../../src/errors/index.ts";
import { ask, openStage, scopeOf } from "../support/pipeline-stage.ts";

const ME = "00000000-0000-7000-8000-000000000001";
const YOU = "00000000-0000-7000-8000-000000000002";

test("when fifty requests wait for a connection the next one is rejected at once, and the waiting ones are served", async (t) => {
  const stage = await openStage(t);
  const pool = stage.openPool({ max: 1 });
  const scope = scopeOf(ME);
  const holder = await pool.connect();
  const waiting = Array.from({ length: 50 }, () => ask(pool, scope, "select 'served'"));
  assert.equal(pool.countWaiting(), 50);

  await assert.rejects(ask(pool, scope, "select 1"), (error: unknown) => {
    assert.ok(error instanceof AppError);
    assert.equal(error.status, 503);
    assert.ok((error.extra.retryAfterSeconds ?? 0) > 0);
    return true;
  });
  assert.equal(pool.countWaiting(), 50);

  holder.release();
  assert.deepEqual(new Set(await Promise.all(waiting)), new Set(["served"]));
  assert.equal(await ask(pool, scope, "select 'again'"), "again");
});

test("when the queue is full, the request of another user replaces the latest of the longest queue and is served in turn", async (t) => {
  const stage = await openStage(t);
  const pool = stage.openPool({ max: 2, userShare: 0.5 });
  const holders = [await pool.connect(), await pool.connect()];
  const served: string[] = [];
  const users = [ME, YOU, randomUUID()];
  const waiting = users.slice(0, 2).flatMap((user) =>
    Array.from({ length: 50 }, async () => {
      await ask(pool, scopeOf(user), "select 1");
      served.push(user);
    }),
  );
  const ended = Promise.allSettled(waiting);
  const [, , other = ""] = users;
  const late = ask(pool, scopeOf(other), "select 1").then(() => served.push(other));
  assert.equal(pool.countWaiting(), 100);
  for (const holder of holders) holder.release();
  await late;
  assert.ok(served.indexOf(other) <= 4, String(served.indexOf(other)));
  const rejected = (await ended).filter(({ status }) => status === "rejected");
  assert.deepEqual(
    rejected.map((one) => one.status === "rejected" && (one.reason as AppError).status),
    [503],
  );
});
