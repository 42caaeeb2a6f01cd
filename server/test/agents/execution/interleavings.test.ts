import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { after, before, describe, test } from "node:test";
import fc from "fast-check";
import type pg from "pg";
import type { ModelCall, ModelEvent } from "../../../src/agents/providers/model-port.ts";
import { admitRuns } from "../../../src/agents/admission/sql/admit-runs.ts";
import { advanceRuns } from "../../../src/agents/writer/sql/advance-runs.ts";
import { callTo, endOf, NODE, type TurnCall } from "../support/run-calls.ts";
import { calls, hangs, lastRole, openRunStage, type RunNode, type RunStage, says } from "../support/run-stage.ts";
import { until } from "../../support/until.ts";

let stage: RunStage;
const closers: (() => Promise<void>)[] = [];
before(async () => {
  stage = await openRunStage({ after: (close) => void closers.push(close) });
});
after(async () => {
  for (const close of closers.reverse()) await close();
});

const LEASE_MS = 300;
const step = fc.oneof(
  fc.record({ kind: fc.constant("ask" as const), swarm: fc.nat(1), node: fc.nat(1) }),
  fc.record({ kind: fc.constant("zombie" as const), swarm: fc.nat(1) }),
  fc.record({
    kind: fc.constant("cancel" as const),
    run: fc.nat(7),
    reason: fc.constantFrom("cancelled", "interrupted"),
  }),
  fc.record({ kind: fc.constant("disable" as const), agent: fc.nat(2) }),
  fc.record({ kind: fc.constant("enable" as const), agent: fc.nat(2) }),
  fc.record({ kind: fc.constant("pause" as const), swarm: fc.nat(1) }),
  fc.record({ kind: fc.constant("stop" as const) }),
  fc.record({ kind: fc.constant("breathe" as const), turns: fc.integer({ min: 1, max: 40 }) }),
);

/** One agent answers, one uses a tool, one hangs until it is aborted or times out. */
const script = (call: ModelCall): AsyncIterable<ModelEvent> => {
  if (call.agent.name === "Cy") return hangs(call, "I am ", "thinking");
  if (call.agent.name === "Bo" && lastRole(call) === "user") return calls(call, { name: "look_up" });
  return says(call, "words ", "of ", call.agent.name);
};

test("for any order of events, every run ends and no agent stays busy", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 4, maxLength: 14 }),
      fc.constantFrom("round_robin", "parallel"),
      async (steps, strategy) => {
        const shared = await stage.newSwarm({ agents: ["Ada", "Bo", "Cy"], strategy, settings: { timeout_ms: 1_000 } });
        const [other] = await stage.rows<{ id: string }>(
          `insert into public.swarms (owner_id, name, strategy, settings)
           values ($1, 'other', $2, '{"timeout_ms": 1000}') returning id`,
          [shared.ownerId, strategy],
        );
        for (const agentId of shared.agentIds)
          await stage.sql.query("insert into public.swarm_agents (swarm_id, agent_id) values ($1, $2)", [
            other?.id,
            agentId,
          ]);
        await stage.newTool(shared.agentIds[1] ?? "", "look_up");
        await stage.sql.query("update public.user_settings set daily_token_budget = 1000000 where user_id = $1", [
          shared.ownerId,
        ]);
        const swarms = [shared.swarmId, other?.id ?? ""];
        const executor = {
          leaseMs: LEASE_MS,
          stopTimeoutMs: 20,
          times: { sweepMs: 30, watchMs: 40, claimPollMs: 40, statusMs: 40 },
        };
        const nodes: RunNode[] = [0, 1].map(() => stage.node({ script, executor }));
        const dead: RunNode[] = [];
        for (const node of nodes) node.start();
        const runs: string[] = [];
        for (const move of steps) {
          if (move.kind === "ask" || move.kind === "zombie") {
            const swarmId = swarms[move.swarm] ?? "";
            const runId = await stage.ask({ swarmId, ownerId: shared.ownerId });
            runs.push(runId);
            if (move.kind === "zombie") {
              const node = stage.node({ script: (call) => hangs(call, "last ", "words"), executor });
              dead.push(node);
              await node.take(runId).catch(() => {});
            } else nodes[move.node]?.executor.wake();
          } else if (move.kind === "cancel") {
            const runId = runs[move.run];
            if (runId === undefined) continue;
            await stage.sql.query(
              `update private.run_leases set cancel_requested_at = now(), cancel_reason = $2
               where run_id = $1 and exists (select 1 from public.runs r where r.id = $1 and r.status = 'running')`,
              [runId, move.reason],
            );
            for (const node of nodes) node.executor.cancel(runId);
          } else if (move.kind === "disable" || move.kind === "enable")
            await stage.sql.query("update public.swarm_agents set enabled = $2 where agent_id = $1", [
              shared.agentIds[move.agent],
              move.kind === "enable",
            ]);
          else if (move.kind === "pause") {
            const set = "update public.swarms set status = $2 where id = $1";
            await stage.sql.query(set, [swarms[move.swarm], "paused"]);
            await stage.sql.query(set, [swarms[move.swarm], "active"]);
          } else if (move.kind === "stop") {
            await nodes.pop()?.stop();
            const fresh = stage.node({ script, executor });
            fresh.start();
            nodes.push(fresh);
          } else for (let turn = 0; turn < move.turns; turn += 1) await setImmediate();
        }
        const live =
          "select 1 from public.runs where swarm_id = any ($1) and status in ('queued', 'running', 'requires_action')";
        await until(async () => (await stage.rows(live, [swarms])).length === 0, "all runs have ended");
        await until(
          async () => (await stage.rows("select 1 from private.agent_status_marks")).length === 0,
          "the statuses of all agents are written",
        );
        const busy = await stage.rows(
          `select name, status from public.agents where id = any ($1) and status not in ('idle', 'error')
           union all
           select agent_name, status from public.run_turns
           where swarm_id = any ($2) and status not in ('completed', 'failed', 'cancelled')
           union all
           select tool_name, status from public.tool_executions
           where swarm_id = any ($2) and status in ('running', 'pending_approval')
           union all
           select 'budget', tokens::text from private.budget_reservations where swarm_id = any ($2)`,
          [shared.agentIds, swarms],
        );
        assert.deepEqual(busy, []);
        const unmarked = await stage.rows(
          `select m.content from public.messages m join public.run_turns t on t.id = m.turn_id
           where m.swarm_id = any ($1) and (t.status <> 'completed') <> (m.metadata ? 'partial')`,
          [swarms],
        );
        assert.deepEqual(unmarked, []);
        const broken = await stage.rows(
          `select run_id from public.run_events where swarm_id = any ($1) and type ~ '^run[.](completed|partial|failed|cancelled)$'
           group by run_id having count(*) <> 1`,
          [swarms],
        );
        assert.deepEqual(broken, []);
        for (const node of [...nodes, ...dead]) await node.stop();
      },
    ),
    { numRuns: 5, endOnFailure: true },
  );
});

describe("a lock that another transaction holds", () => {
  const HELD_ROWS = ["swarm", "run", "deleted agent", "counter"] as const;
  const newCall = async (): Promise<TurnCall> => {
    const swarm = await stage.newSwarm({ agents: ["Ada"] });
    await stage.sql.query(
      "insert into public.messages (swarm_id, sender_type, sender_user_id, content) values ($1, 'user', $2, 'before')",
      [swarm.swarmId, swarm.ownerId],
    );
    return callTo(swarm);
  };
  /** Locks a row of the call, as another node would. Returns the function that releases it. */
  const hold = async (
    other: pg.Client,
    row: (typeof HELD_ROWS)[number],
    call: TurnCall,
  ): Promise<() => Promise<void>> => {
    const statements = {
      swarm: ["select 1 from public.swarms where id = $1 for update", call.swarm_id],
      run: ["select 1 from public.runs where id = $1 for no key update", call.run_id],
      "deleted agent": ["select 1 from public.agents where id = $1 for update", call.first_turn.agent_id],
      counter: ["select 1 from private.message_counters where swarm_id = $1 for no key update", call.swarm_id],
    } as const;
    const [text, id] = statements[row];
    await other.query("begin");
    const { rowCount } = await other.query(text, [id]);
    assert.equal(rowCount, 1);
    return async () => void (await other.query("rollback"));
  };
  const waitsFor = async (pid: number): Promise<boolean> =>
    (await stage.rows("select 1 from pg_stat_activity where $1 = any (pg_blocking_pids(pid))", [pid])).length > 0;
  const pidOf = async (client: pg.Client): Promise<number> =>
    (await client.query<{ pid: number }>("select pg_backend_pid() as pid")).rows[0]?.pid ?? 0;

  test("excludes its call from a batch, which never waits; a single call waits", async () => {
    const other = await stage.connect();
    const pid = await pidOf(other);
    for (const row of ["swarm", "deleted agent", "counter"] as const) {
      const batch = [await newCall(), await newCall(), await newCall()];
      const [held] = batch;
      assert.ok(held);
      const release = await hold(other, row, held);
      const answers = await admitRuns(stage.pool, batch, NODE);
      const begun = answers.map(
        (answer) => answer !== null && "run_id" in answer && answer.started?.opened !== undefined,
      );
      assert.deepEqual(begun, [false, true, true], row);
      // The turn begins later if the agent is still there; the run has started.
      if (row === "deleted agent") {
        assert.ok(answers[0] && "run_id" in answers[0] && answers[0].started?.fence === 1);
        await release();
        continue;
      }
      assert.equal(answers[0], null);
      const waiting = admitRuns(stage.pool, [held], NODE);
      await until(() => waitsFor(pid), "the single call waits");
      await release();
      const [admitted] = await waiting;
      assert.ok(admitted && "run_id" in admitted && admitted.started?.opened, row);
    }
  });

  test("excludes its run from a batch of steps, which never waits; a single run waits", async () => {
    const other = await stage.connect();
    const pid = await pidOf(other);
    for (const row of HELD_ROWS) {
      const batch = [await newCall(), await newCall(), await newCall()];
      for (const call of batch) await admitRuns(stage.pool, [call], NODE);
      const [held] = batch;
      assert.ok(held);
      const release = await hold(other, row, held);
      const answers = await advanceRuns(
        stage.pool,
        batch.map((call) => endOf(call)),
      );
      assert.deepEqual(
        answers.map((answer) => answer?.isLost),
        [undefined, false, false],
        row,
      );
      const waiting = advanceRuns(stage.pool, [endOf(held)]);
      await until(() => waitsFor(pid), "the single run waits");
      await release();
      const [advanced] = await waiting;
      assert.equal(advanced?.isLost, false, row);
      assert.equal((await stage.run(held.run_id)).status, "completed");
    }
  });

  test("is never taken twice in a batch: calls to one swarm are in separate batches", async () => {
    const swarm = await stage.newSwarm({ agents: ["Ada"] });
    const [one, again] = await admitRuns(stage.pool, [callTo(swarm), callTo(swarm)], NODE);
    assert.ok(one && "run_id" in one && one.started?.opened);
    assert.equal(again, null);
  });
});
