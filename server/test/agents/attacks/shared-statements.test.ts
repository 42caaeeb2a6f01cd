import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import type pg from "pg";
import { openAdmissions } from "../../../src/agents/respond/admissions.ts";
import type { AdmissionFacts, FirstTurnFacts } from "../../../src/agents/respond/sql/admission.ts";
import { endRuns, type PlainEnd } from "../../../src/agents/runs/sql/end-runs.ts";
import { AppError } from "../../../src/errors/index.ts";
import { type NewSwarm, openRunStage, type RunStage } from "../runs/support/run-stage.ts";

const LOCK_NOT_AVAILABLE = "55P03";
const closers: (() => Promise<void>)[] = [];
let stage: RunStage;
let other: pg.Client;

before(async () => {
  stage = await openRunStage({ after: (close) => void closers.push(close) });
  other = await stage.connect();
  // A wait that should not be is a failure, not a test that hangs.
  await stage.rows("set statement_timeout = '5s'");
});
after(async () => {
  for (const close of closers.toReversed()) await close();
});

/** One connection does where nobody waits for another. */
const openDesk = (pool = stage.sql as unknown as pg.Pool) =>
  openAdmissions({
    pool,
    executor: { leaseMs: 30_000 },
    models: {
      describe: () => {
        throw new Error("nobody asks");
      },
    },
    // As many as it takes for calls of the same moment to be gathered.
    crowd: { newId: randomUUID, countRuns: () => 10 },
  });

function factsOf(swarm: NewSwarm, more: Partial<AdmissionFacts> = {}): AdmissionFacts & { first_turn: FirstTurnFacts } {
  return {
    swarm_id: swarm.swarmId,
    user_id: swarm.ownerId,
    is_service: false,
    message: "hello",
    agent_ids: null,
    client_message_id: null,
    idempotency_key: null,
    request_hash: "00",
    reply_to_id: null,
    mentions: [],
    metadata: {},
    on_conflict: null,
    queue_limit: 3,
    request: { source: "agent_respond" },
    owner: "node",
    lease_ms: 30_000,
    ...more,
    first_turn: {
      turn_id: randomUUID(),
      message_id: randomUUID(),
      agent_id: swarm.agentIds[0] ?? "",
      speaker_ids: swarm.agentIds,
      default_models: { provider_a: "scripted" },
      max_concurrent: 4,
      history_limit: 51,
    },
  };
}

async function countMessages({ swarmId }: NewSwarm): Promise<number> {
  return (await stage.rows("select 1 from public.messages where swarm_id = $1", [swarmId])).length;
}

/** Somebody who writes to the swarm and takes long over it, as anybody can in one request. */
async function writeSlowly({ swarmId, ownerId }: NewSwarm): Promise<() => Promise<unknown>> {
  await other.query("begin");
  await other.query(
    "insert into public.messages (swarm_id, sender_type, sender_user_id, content) values ($1, 'user', $2, 'slow')",
    [swarmId, ownerId],
  );
  return () => other.query("rollback");
}

async function say({ swarmId, ownerId }: NewSwarm): Promise<void> {
  await stage.rows(
    "insert into public.messages (swarm_id, sender_type, sender_user_id, content) values ($1, 'user', $2, 'before')",
    [swarmId, ownerId],
  );
}

const newSwarm = (): Promise<NewSwarm> => stage.newSwarm({ agents: ["Ann"] });

describe("in one statement with a swarm that somebody is writing to", () => {
  for (const isSilent of [false, true]) {
    test(`others are admitted while that goes on, ${isSilent ? "though nothing was said there" : "and without a wait"}`, async () => {
      const [held, free] = [await newSwarm(), await newSwarm()];
      if (!isSilent) await say(held);
      const release = await writeSlowly(held);
      const failures: unknown[] = [];
      const desk = openDesk(await connectEach(failures));
      const late = desk.admit(factsOf(held));
      const admitted = await desk.admit(factsOf(free));
      assert.ok(!admitted.is_replay && admitted.fence === 1);
      // A first message is not seen before it is there: that is noticed soon, and each comes alone.
      assert.deepEqual(failures, isSilent ? [LOCK_NOT_AVAILABLE] : []);
      assert.equal(await countMessages(free), 1);
      await release();
      const after = await late;
      assert.ok(!after.is_replay && after.fence === 1);
    });
  }

  test("others come to their end while that goes on", async () => {
    const [held, free] = [await newSwarm(), await newSwarm()];
    const desk = openDesk();
    const ends: PlainEnd[] = [];
    for (const swarm of [held, free]) {
      const facts = factsOf(swarm);
      const admitted = await desk.admit(facts);
      ends.push(endOf(admitted.run_id, facts));
    }
    const release = await writeSlowly(held);
    const ended = await endRuns(stage.sql as unknown as pg.Pool, ends);
    await release();
    assert.deepEqual(
      ended.map(({ run_id: id }) => id),
      [ends[1]?.run_id],
    );
    assert.equal((await stage.run(ends[0]?.run_id ?? "")).status, "running");
  });
});

test("a call that the database refuses is refused alone", async () => {
  const [bad, good] = [await newSwarm(), await newSwarm()];
  const desk = openDesk(await connectEach());
  // Few bytes on the wire, and three hundred digits each where they are kept.
  const metadata = { a: Array.from({ length: 1_000 }, () => 1e300) };
  const [refused, admitted] = await Promise.allSettled([
    desk.admit(factsOf(bad, { metadata })),
    desk.admit(factsOf(good)),
  ]);
  assert.ok(refused.status === "rejected" && refused.reason instanceof AppError);
  assert.equal(refused.reason.code, "VALIDATION_ERROR");
  assert.ok(admitted.status === "fulfilled" && !admitted.value.is_replay && admitted.value.fence === 1);
  assert.deepEqual([await countMessages(bad), await countMessages(good)], [0, 1]);
});

test("a call whose answer was lost is not made a second time", async () => {
  const swarm = await newSwarm();
  const pool = {
    async query(statement: pg.QueryConfig) {
      const result = await stage.sql.query(statement);
      if (statement.name === "respond-admit-many") throw new Error("Connection terminated unexpectedly");
      return result;
    },
  };
  const admitting = openDesk(pool as unknown as pg.Pool).admit(factsOf(swarm));
  await assert.rejects(admitting, (error) => error instanceof AppError && error.code === "SERVICE_UNAVAILABLE");
  assert.equal(await countMessages(swarm), 1);
});

/** A pool in which nobody waits for a connection that somebody else is using. */
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
      throw error;
    } finally {
      busy.delete(client);
    }
  };
  for (const client of connections) await client.query("set statement_timeout = '5s'");
  return { query } as unknown as pg.Pool;
}

function endOf(runId: string, { first_turn: turn, user_id: userId }: ReturnType<typeof factsOf>): PlainEnd {
  return {
    run_id: runId,
    fence: 1,
    agent_id: turn.agent_id,
    turn_id: turn.turn_id,
    seq: 5,
    end_seq: 10,
    deltas: [],
    content: "hi there",
    finish_reason: "stop",
    stop_reason: "all_replied",
    warnings: [],
    attempts: 1,
    framework: "provider_a",
    model: "scripted",
    first_token_ms: 5,
    duration_ms: 9,
    input_tokens: 10,
    cached_input_tokens: 0,
    output_tokens: 3,
    reasoning_tokens: 0,
    cost_usd: null,
    estimated: false,
    payer_id: userId,
  };
}
