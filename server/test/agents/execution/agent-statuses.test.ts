import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { admitRuns } from "../../../src/agents/admission/sql/admit-runs.ts";
import { settleAgentStatuses } from "../../../src/agents/execution/sql/manage-runs.ts";
import type { ModelCall, ModelEvent } from "../../../src/agents/providers/model-port.ts";
import { advanceRuns } from "../../../src/agents/writer/sql/advance-runs.ts";
import { ModelError } from "../../../src/errors/index.ts";
import { until } from "../../support/until.ts";
import { callTo, endOf, NODE } from "../support/run-calls.ts";
import { hangs, type NewSwarm, openRunStage, type RunStage, says } from "../support/run-stage.ts";

let stage: RunStage;
const closers: (() => Promise<void>)[] = [];
before(async () => {
  stage = await openRunStage({ after: (close) => void closers.push(close) });
});
after(async () => {
  for (const close of closers.reverse()) await close();
});

/** Swarms of one owner in which the same agent answers. */
async function newConversations(count: number): Promise<readonly NewSwarm[]> {
  const first = await stage.newSwarm({ agents: ["Ada"] });
  const swarms: NewSwarm[] = [first];
  while (swarms.length < count) {
    const { swarmId, ownerId } = await stage.newSwarm({ agents: [], ownerId: first.ownerId });
    await stage.rows("insert into public.swarm_agents (swarm_id, agent_id) values ($1, $2)", [
      swarmId,
      first.agentIds[0],
    ]);
    swarms.push({ swarmId, ownerId, agentIds: first.agentIds });
  }
  return swarms;
}

const agentOf = (swarms: readonly NewSwarm[]): string => swarms[0]?.agentIds[0] ?? "";
const marks = (agentId: string) =>
  stage.rows<{ reason: string }>("select reason from private.agent_status_marks where agent_id = $1 order by seq", [
    agentId,
  ]);
const countLiveTurns = async (agentId: string): Promise<number> =>
  (
    await stage.rows("select 1 from public.run_turns where agent_id = $1 and status in ('thinking', 'responding')", [
      agentId,
    ])
  ).length;

/** The changes of status that the owner's webhooks get. */
async function watch({ ownerId }: Pick<NewSwarm, "ownerId">, agentId: string) {
  await stage.rows(
    "insert into public.webhooks (user_id, name, url, events) values ($1, 'hook', 'https://example.test/', '{agent.status_changed}')",
    [ownerId],
  );
  return async (): Promise<string[]> =>
    (
      await stage.rows<{ data: Record<"previous_status" | "status" | "reason", string> }>(
        "select data from private.events where data ->> 'agent_id' = $1 order by seq",
        [agentId],
      )
    ).map(({ data }) => `${data.previous_status} ${data.status} ${data.reason}`);
}

/** Does the work while another transaction holds the row of the agent. */
async function whileHeld<Result>(agentId: string, work: () => Promise<Result>): Promise<Result> {
  const other = await stage.connect();
  await other.query("begin");
  await other.query("select 1 from public.agents where id = $1 for no key update", [agentId]);
  try {
    return await work();
  } finally {
    await other.query("rollback");
    await other.end();
  }
}

describe("the status of an agent with one run", () => {
  test("is written with each change of the turn, and raises its events", async () => {
    const [swarm] = await newConversations(1);
    assert.ok(swarm);
    const agentId = agentOf([swarm]);
    const readEvents = await watch(swarm, agentId);
    const call = callTo(swarm);
    await admitRuns(stage.pool, [call], NODE);
    assert.equal(await stage.statusOf(agentId), "thinking");
    const [ended] = await advanceRuns(stage.pool, [endOf(call)]);
    assert.equal(await stage.statusOf(agentId), "idle");
    assert.deepEqual(
      ended?.results[0]?.events.flatMap(({ type, data }) => (type === "agent.status_changed" ? [data["status"]] : [])),
      ["responding", "idle"],
    );
    assert.deepEqual(await readEvents(), [
      "idle thinking run_started",
      "thinking responding first_token",
      "responding idle run_completed",
    ]);
    assert.deepEqual(await marks(agentId), []);
  });
});

describe("the runs of one agent", () => {
  test("begin and end in one batch, with one change of the status each", async () => {
    const swarms = await newConversations(3);
    const [first] = swarms;
    assert.ok(first);
    const agentId = agentOf(swarms);
    const readEvents = await watch(first, agentId);
    const calls = swarms.map((swarm) => callTo(swarm));
    const admitted = await admitRuns(stage.pool, calls, NODE);
    assert.ok(admitted.every((answer) => answer && "run_id" in answer && answer.started?.opened));
    const ends = calls.map((call) => endOf(call));
    // While another run is live, an answer does not change the status.
    await advanceRuns(stage.pool, ends.slice(0, 1));
    assert.equal(await stage.statusOf(agentId), "thinking");
    const advanced = await advanceRuns(stage.pool, ends.slice(1));
    assert.deepEqual(
      advanced.map((answer) => answer?.isLost),
      [false, false],
    );
    assert.equal(await stage.statusOf(agentId), "idle");
    assert.deepEqual(await readEvents(), [
      "idle thinking run_started",
      "thinking responding first_token",
      "responding idle run_completed",
    ]);
  });

  test("do not wait for the agent's row, alone or in a batch; the status follows when the row is free", async () => {
    const swarms = await newConversations(3);
    const [first] = swarms;
    assert.ok(first);
    const agentId = agentOf(swarms);
    const readEvents = await watch(first, agentId);
    const calls = swarms.map((swarm) => callTo(swarm));
    await whileHeld(agentId, async () => {
      for (const batch of [calls.slice(0, 1), calls.slice(1)]) {
        const answers = await admitRuns(stage.pool, batch, NODE);
        assert.ok(answers.every((answer) => answer && "run_id" in answer && answer.started?.opened));
      }
    });
    assert.deepEqual(await marks(agentId), [{ reason: "run_started" }, { reason: "run_started" }]);
    assert.equal(await stage.statusOf(agentId), "idle");
    assert.equal(await settleAgentStatuses(stage.pool), 1);
    assert.equal(await stage.statusOf(agentId), "thinking");

    const [last, ...others] = calls.map((call) => endOf(call));
    assert.ok(last);
    await whileHeld(agentId, () => advanceRuns(stage.pool, others));
    assert.equal(await settleAgentStatuses(stage.pool), 0);
    assert.equal(await stage.statusOf(agentId), "thinking");
    await whileHeld(agentId, () => advanceRuns(stage.pool, [last]));
    assert.equal(await stage.statusOf(agentId), "thinking");
    assert.equal(await settleAgentStatuses(stage.pool), 1);
    assert.equal(await stage.statusOf(agentId), "idle");
    assert.deepEqual(await readEvents(), ["idle thinking run_started", "thinking idle run_completed"]);
    assert.deepEqual(await marks(agentId), []);
  });

  test("that end at the same time, each before it sees the other's end, leave the agent idle", async () => {
    const swarms = await newConversations(2);
    const agentId = agentOf(swarms);
    const [one, other] = swarms.map((swarm) => callTo(swarm));
    assert.ok(one && other);
    await admitRuns(stage.pool, [one, other], NODE);
    const transaction = await stage.connect();
    await transaction.query("begin");
    await advanceRuns(transaction as unknown as typeof stage.pool, [endOf(one)]);
    await advanceRuns(stage.pool, [endOf(other)]);
    await transaction.query("commit");
    await transaction.end();
    assert.equal(await countLiveTurns(agentId), 0);
    assert.equal(await stage.statusOf(agentId), "thinking");
    await settleAgentStatuses(stage.pool);
    assert.equal(await stage.statusOf(agentId), "idle");
  });

  test("leave a status alone that the owner has set since", async () => {
    const swarms = await newConversations(1);
    const agentId = agentOf(swarms);
    const [call] = swarms.map((swarm) => callTo(swarm));
    assert.ok(call);
    await admitRuns(stage.pool, [call], NODE);
    await whileHeld(agentId, () => advanceRuns(stage.pool, [endOf(call)]));
    await stage.rows("update public.agents set status = 'error' where id = $1", [agentId]);
    assert.equal(await settleAgentStatuses(stage.pool), 0);
    assert.equal(await stage.statusOf(agentId), "error");
    assert.deepEqual(await marks(agentId), []);
  });

  test("leave nothing behind when the agent or the swarm is deleted", async () => {
    const swarms = await newConversations(2);
    const [gone, kept] = swarms;
    assert.ok(gone && kept);
    const agentId = agentOf(swarms);
    await admitRuns(stage.pool, [callTo(gone)], NODE);
    await stage.rows("delete from public.swarms where id = $1", [gone.swarmId]);
    assert.equal(await settleAgentStatuses(stage.pool), 1);
    assert.equal(await stage.statusOf(agentId), "idle");

    const call = callTo(kept);
    await admitRuns(stage.pool, [call], NODE);
    await whileHeld(agentId, () => advanceRuns(stage.pool, [endOf(call)]));
    await stage.rows("delete from public.agents where id = $1", [agentId]);
    assert.equal(await settleAgentStatuses(stage.pool), 0);
    assert.deepEqual(await marks(agentId), []);
  });
});

test("50 concurrent conversations of one agent, with failures, cancels and a node that is lost, leave it at rest", async () => {
  const swarms = await newConversations(50);
  const agentId = agentOf(swarms);
  const script = (call: ModelCall): AsyncIterable<ModelEvent> => {
    const asked = JSON.stringify(call.messages.at(-1));
    if (asked.includes("fail")) throw new ModelError("PROVIDER_ERROR", "The model is out of order");
    return asked.includes("hang") ? hangs(call, "one ", "moment") : says(call, "well ", "then");
  };
  const executor = { times: { watchMs: 40, claimPollMs: 20, statusMs: 40 } };
  const lost = stage.node({ script: (call) => hangs(call, "last ", "words") });
  const nodes = [0, 1].map(() => stage.node({ script, executor }));
  const asks: { readonly kind: string; readonly runId: string }[] = [];
  for (const [place, swarm] of swarms.entries()) {
    const kind = place < 5 ? "lost" : (["fail", "hang", "answer"][place % 3] ?? "");
    asks.push({ kind, runId: await stage.ask(swarm, kind) });
  }
  for (const { kind, runId } of asks) if (kind === "lost") void lost.take(runId).catch(() => {});
  await until(async () => (await countLiveTurns(agentId)) === 5, "the lost node has its runs");
  for (const node of nodes) node.start();
  const hanging = asks.filter(({ kind }) => kind === "hang");
  const speaking = "select 1 from public.run_turns where run_id = any ($1) and status = 'responding'";
  const hangingIds = hanging.map(({ runId }) => runId);
  await until(async () => (await stage.rows(speaking, [hangingIds])).length === hanging.length, "the others speak");
  await until(async () => ["thinking", "responding"].includes(await stage.statusOf(agentId)), "the agent is busy");
  await nodes[0]?.releaseOwner(lost.executor.owner);
  for (const { runId } of hanging) {
    await stage.rows(
      "update private.run_leases set cancel_requested_at = now(), cancel_reason = 'cancelled' where run_id = $1",
      [runId],
    );
    for (const node of nodes) node.executor.cancel(runId);
  }
  for (const { runId } of asks) await stage.end(runId);
  await until(async () => ["idle", "error"].includes(await stage.statusOf(agentId)), "the agent is at rest");
  await until(async () => (await marks(agentId)).length === 0, "nothing is left to write");
  assert.ok(["idle", "error"].includes(await stage.statusOf(agentId)));
  const ended = new Set<string>();
  for (const { kind, runId } of asks) ended.add(`${kind} ${(await stage.run(runId)).status}`);
  assert.deepEqual([...ended].sort(), ["answer completed", "fail failed", "hang cancelled", "lost completed"]);
});
