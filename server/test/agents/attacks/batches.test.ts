import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type pg from "pg";
import { openAdmissions } from "../../../src/agents/admission/admissions.ts";
import { advanceRuns } from "../../../src/agents/writer/sql/advance-runs.ts";
import { AppError } from "../../../src/errors/index.ts";
import { callTo, endOf, NODE } from "../support/run-calls.ts";
import { type NewSwarm, openRunStage, type RunStage } from "../support/run-stage.ts";

const LOCK_NOT_AVAILABLE = "55P03";
const closers: (() => Promise<void>)[] = [];
let stage: RunStage;
let other: pg.Client;

before(async () => {
  stage = await openRunStage({ after: (close) => void closers.push(close) });
  other = await stage.connect();
  // A wait fails the test instead of hanging it.
  await stage.rows("set statement_timeout = '5s'");
});
after(async () => {
  for (const close of closers.toReversed()) await close();
});

/** One connection is enough when no call waits for another. */
const open = (pool = stage.sql as unknown as pg.Pool) =>
  // Enough runs that concurrent calls share a statement.
  openAdmissions({ pool, ...NODE, countRuns: () => 10 });

async function countMessages({ swarmId }: NewSwarm): Promise<number> {
  return (await stage.rows("select 1 from public.messages where swarm_id = $1", [swarmId])).length;
}

/** An open transaction that has written to the swarm, as any client can cause with one request. */
async function writeSlowly({ swarmId, ownerId }: NewSwarm): Promise<() => Promise<unknown>> {
  await other.query("begin");
  await other.query(
    "insert into public.messages (swarm_id, sender_type, sender_user_id, content) values ($1, 'user', $2, 'slow')",
    [swarmId, ownerId],
  );
  return () => other.query("rollback");
}

async function sayFirst({ swarmId, ownerId }: NewSwarm): Promise<void> {
  await stage.rows(
    "insert into public.messages (swarm_id, sender_type, sender_user_id, content) values ($1, 'user', $2, 'before')",
    [swarmId, ownerId],
  );
}

const newSwarm = (): Promise<NewSwarm> => stage.newSwarm({ agents: ["Ann"] });

describe("while another transaction writes to one swarm of a batch", () => {
  for (const isFirst of [false, true]) {
    test(`the other calls are admitted ${isFirst ? "although its first message is not visible yet" : "at once"}`, async () => {
      const [held, free] = [await newSwarm(), await newSwarm()];
      if (!isFirst) await sayFirst(held);
      const release = await writeSlowly(held);
      const failures: unknown[] = [];
      const admissions = open(await connectEach(failures));
      const late = admissions.admit(callTo(held));
      const admitted = await admissions.admit(callTo(free));
      assert.ok("run_id" in admitted && admitted.started?.fence === 1);
      // A first message has no counter to see: the lock timeout fails the batch, and each call is sent alone.
      assert.deepEqual(failures, isFirst ? [LOCK_NOT_AVAILABLE] : []);
      assert.equal(await countMessages(free), 1);
      await release();
      const after = await late;
      assert.ok("run_id" in after && after.started?.fence === 1);
    });
  }

  test("the other runs end", async () => {
    const [held, free] = [callTo(await newSwarm()), callTo(await newSwarm())];
    const admissions = open();
    for (const call of [held, free]) await admissions.admit(call);
    const release = await writeSlowly({ swarmId: held.swarm_id, ownerId: held.user_id, agentIds: [] });
    const ended = await advanceRuns(stage.sql as unknown as pg.Pool, [endOf(held), endOf(free)]);
    await release();
    assert.deepEqual(
      ended.map((one) => one?.isLost),
      [undefined, false],
    );
    assert.equal((await stage.run(held.run_id)).status, "running");
    assert.equal((await stage.run(free.run_id)).status, "completed");
  });
});

test("a call that violates a constraint fails alone", async () => {
  const [bad, good] = [await newSwarm(), await newSwarm()];
  const admissions = open(await connectEach());
  // A few bytes in JSON, and three hundred digits each when stored.
  const metadata = { a: Array.from({ length: 1_000 }, () => 1e300) };
  const [rejected, admitted] = await Promise.allSettled([
    admissions.admit(callTo(bad, { metadata })),
    admissions.admit(callTo(good)),
  ]);
  assert.ok(rejected.status === "rejected" && rejected.reason instanceof AppError);
  assert.equal(rejected.reason.code, "VALIDATION_ERROR");
  assert.ok(admitted.status === "fulfilled" && "run_id" in admitted.value && admitted.value.started?.fence === 1);
  assert.deepEqual([await countMessages(bad), await countMessages(good)], [0, 1]);
});

test("a call whose answer was lost is not sent again", async () => {
  const swarms = [await newSwarm(), await newSwarm()];
  const pool = {
    async query(statement: pg.QueryConfig) {
      const result = await stage.sql.query(statement);
      if (statement.name === "respond-admit") throw new Error("Connection terminated unexpectedly");
      return result;
    },
  };
  const admissions = open(pool as unknown as pg.Pool);
  const admitting = await Promise.allSettled(swarms.map((swarm) => admissions.admit(callTo(swarm))));
  for (const one of admitting) {
    assert.ok(one.status === "rejected" && one.reason instanceof AppError);
    assert.equal(one.reason.code, "SERVICE_UNAVAILABLE");
  }
  assert.deepEqual(await Promise.all(swarms.map(countMessages)), [1, 1]);
});

/** A pool with a free connection for every statement. */
async function connectEach(failures: unknown[] = []): Promise<pg.Pool> {
  const connections = [await stage.connect(), await stage.connect(), await stage.connect()];
  const busy = new Set<pg.Client>();
  const query = async (statement: pg.QueryConfig) => {
    const client = connections.find((one) => !busy.has(one));
    assert.ok(client !== undefined);
    busy.add(client);
    try {
      return await client.query(statement);
    } catch (error) {
      failures.push((error as pg.DatabaseError).code);
      // PostgreSQL reports an error before it releases the locks of the transaction: a call that is sent again at once
      // may find its swarm locked, and its run would be queued instead of started.
      await client.query("select 1");
      throw error;
    } finally {
      busy.delete(client);
    }
  };
  for (const client of connections) await client.query("set statement_timeout = '5s'");
  return { query } as unknown as pg.Pool;
}
