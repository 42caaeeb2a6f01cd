import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { calls, collect, hangs, lastRole, openRunStage, type RunStage, says } from "../support/run-stage.ts";
import { until } from "../../support/until.ts";

let stage: RunStage;
const closers: (() => Promise<void>)[] = [];
before(async () => {
  stage = await openRunStage({ after: (close) => void closers.push(close) });
});
after(async () => {
  for (const close of closers.reverse()) await close();
});

const typesOf = (events: readonly { type: string }[]): string[] => events.map(({ type }) => type);
const outcomeOf = async (runId: string): Promise<string> => {
  const { status, stop_reason } = await stage.end(runId);
  return `${status} ${stop_reason}`;
};
const requestCancel = (runId: string, reason = "cancelled"): Promise<unknown> =>
  stage.sql.query("update private.run_leases set cancel_requested_at = now(), cancel_reason = $2 where run_id = $1", [
    runId,
    reason,
  ]);
const first = (list: readonly string[]): string => list[0] ?? "";

describe("a run of two agents and a tool", () => {
  test("publishes, stores and raises all events in order", async () => {
    const swarm = await stage.newSwarm({ agents: ["Ada", "Bo"] });
    await stage.newTool(first(swarm.agentIds), "look_up");
    await stage.sql.query(
      `insert into public.webhooks (user_id, name, url, events) values ($1, 'all', 'https://example.test/',
         array['message.created', 'agent.status_changed', 'tool.executed', 'swarm.completed'])`,
      [swarm.ownerId],
    );
    await stage.sql.query("delete from private.events");
    const node = stage.node({
      script: (call) =>
        call.agent.name === "Ada" && lastRole(call) === "user"
          ? calls(call, { name: "look_up", input: { "of\u0000": "x\u0000\ud800" } })
          : says(call, `[${call.agent.name}]: `, "I am ", call.agent.name),
    });
    const runId = await stage.ask(swarm);
    const shown = collect(node, runId);
    await node.take(runId);
    assert.equal(await outcomeOf(runId), "completed all_replied");
    await until(() => shown.at(-1)?.type === "run.completed", "the end was shown");

    // The status of a short answer is stored with its end.
    const spoken = ["message.delta", "message.delta", "agent.status_changed"];
    const ended = ["message.created", "turn.completed", "agent.status_changed"];
    const started = ["turn.started", "agent.status_changed"];
    const tool = ["tool.started", "tool.executed"];
    assert.deepEqual(typesOf(shown), [
      ...started,
      ...tool,
      ...spoken,
      ...ended,
      ...started,
      ...spoken,
      ...ended,
      "run.completed",
    ]);
    const seqs = shown.map(({ seq }) => seq);
    assert.deepEqual(
      seqs,
      [...new Set(seqs)].sort((one, other) => one - other),
    );

    const stored = await stage.rows<{ type: string; data: { deltas?: string[]; first_seq?: number }; seq: number }>(
      "select type, data, seq from public.run_events where run_id = $1 order by seq",
      [runId],
    );
    const replayed = stored.flatMap(({ type, seq, data }) =>
      data.deltas === undefined
        ? [`${seq} ${type}`]
        : data.deltas.map((_, at) => `${(data.first_seq ?? 0) + at} ${type}`),
    );
    assert.deepEqual(
      replayed.filter((line) => !line.endsWith("run.started")),
      shown.map(({ seq, type }) => `${seq} ${type}`),
    );

    const raised = await stage.rows<{ what: string }>(
      `select concat_ws(' ', type, data ->> 'status', data ->> 'reason', data ->> 'content') as what
       from private.events order by seq`,
    );
    const turn = (name: string): string[] => [
      "agent.status_changed responding first_token",
      `message.created I am ${name}`,
      "agent.status_changed idle run_completed",
    ];
    assert.deepEqual(
      raised.map(({ what }) => what),
      [
        "message.created hello",
        "agent.status_changed thinking run_started",
        "tool.executed",
        ...turn("Ada"),
        "agent.status_changed thinking run_started",
        ...turn("Bo"),
        "swarm.completed completed",
      ],
    );
    const [usage] = await stage.rows<{ turns: number; body: { responses: unknown[] } }>(
      `select count(*)::integer as turns, private.render_run($1) as body from public.usage_records where run_id = $1`,
      [runId],
    );
    assert.equal(usage?.turns, 2);
    assert.equal(usage?.body.responses.length, 2);
  });

  test("stores which versions of the agents the turns used", async () => {
    const swarm = await stage.newSwarm({ agents: ["Ada", "Bo"] });
    const node = stage.node({ script: (call) => says(call, "Yes.") });
    const ask = async (): Promise<unknown[]> => {
      const runId = await stage.ask(swarm);
      await node.take(runId);
      await stage.end(runId);
      const text = "select agent_version from public.run_turns where run_id = $1 order by position";
      return (await stage.rows<{ agent_version: number }>(text, [runId])).map((turn) => turn.agent_version);
    };
    assert.deepEqual(await ask(), [1, 1]);
    await stage.sql.query("update public.agents set system_prompt = 'Be brief.' where id = $1", [swarm.agentIds[1]]);
    assert.deepEqual(await ask(), [1, 2]);
  });

  test("lets the second agent read the first answer and late messages of users", async () => {
    const swarm = await stage.newSwarm({ agents: ["Ada", "Bo"] });
    const read: string[] = [];
    const node = stage.node({
      script: (call) => {
        read.push(
          call.messages.map(({ role, ...rest }) => `${role} ${"content" in rest ? rest.content : ""}`).join("|"),
        );
        return says(call, `from ${call.agent.name}`);
      },
    });
    const runId = await stage.ask(swarm, "who is there");
    await node.take(runId);
    await stage.end(runId);
    assert.match(read[0] ?? "", /who is there$/);
    assert.match(read[1] ?? "", /who is there.*\[Ada\]: from Ada$/s);
  });
});

describe("aborting a run", () => {
  for (const { reason, stop, finish } of [
    { reason: "cancelled", stop: "cancelled cancelled", finish: "cancelled" },
    { reason: "interrupted", stop: "cancelled interrupted", finish: "interrupted" },
    { reason: "disconnected", stop: "cancelled cancelled", finish: "cancelled" },
  ])
    test(`${reason}: keeps the partial text, marked as partial, and an estimate of its cost`, async () => {
      const swarm = await stage.newSwarm({ agents: ["Ada", "Bo"] });
      const node = stage.node({
        script: (call) => hangs(call, "half a ", "sentence"),
        // It is notified: its next poll would be too late for this test.
        executor: { times: { watchMs: 600_000 } },
      });
      node.start();
      const runId = await stage.ask(swarm);
      const shown = collect(node, runId);
      node.executor.wake();
      await until(() => shown.some(({ type }) => type === "message.delta"), "it speaks");
      await requestCancel(runId, reason);
      node.executor.cancel(runId);
      assert.equal(await outcomeOf(runId), stop);
      assert.deepEqual(await stage.texts(runId), [
        { content: "half a sentence", finish_reason: finish, metadata: { partial: true } },
      ]);
      const [usage] = await stage.rows<{ estimated: boolean }>(
        "select estimated from public.usage_records where run_id = $1",
        [runId],
      );
      assert.equal(usage?.estimated, true);
      assert.deepEqual(await Promise.all(swarm.agentIds.map((id) => stage.statusOf(id))), ["idle", "idle"]);
      await node.stop();
    });

  test("removing an agent ends only its turn; pausing the swarm ends the run", async () => {
    const swarm = await stage.newSwarm({ agents: ["Ada", "Bo"] });
    const node = stage.node({
      script: (call) => (call.agent.name === "Ada" ? hangs(call, "I was") : says(call, "I am")),
      executor: { times: { watchMs: 50 } },
    });
    node.start();
    const runId = await stage.ask(swarm);
    const shown = collect(node, runId);
    node.executor.wake();
    await until(() => shown.some(({ type }) => type === "message.delta"), "it speaks");
    await stage.sql.query("delete from public.swarm_agents where agent_id = $1", [first(swarm.agentIds)]);
    assert.equal(await outcomeOf(runId), "completed all_replied");
    assert.deepEqual(
      (await stage.texts(runId)).map(({ content }) => content),
      ["I was", "I am"],
    );

    const other = await stage.newSwarm({ agents: ["Ada"] });
    const second = await stage.ask(other);
    const events = collect(node, second);
    node.executor.wake();
    await until(() => events.some(({ type }) => type === "message.delta"), "it speaks");
    await stage.sql.query("update public.swarms set status = 'paused' where id = $1", [other.swarmId]);
    assert.equal(await outcomeOf(second), "cancelled cancelled");
    await node.stop();
  });

  test("deleting an agent, a swarm or a user during a run leaves nothing unfinished", async () => {
    const node = stage.node({ script: (call) => hangs(call, "words"), executor: { times: { watchMs: 30 } } });
    node.start();
    for (const victim of ["agents", "swarms", "users"] as const) {
      const swarm = await stage.newSwarm({ agents: ["Ada"] });
      const runId = await stage.ask(swarm);
      const shown = collect(node, runId);
      node.executor.wake();
      await until(() => shown.some(({ type }) => type === "message.delta"), "it speaks");
      if (victim === "agents")
        await stage.sql.query("delete from public.agents where id = $1", [first(swarm.agentIds)]);
      if (victim === "swarms") await stage.sql.query("delete from public.swarms where id = $1", [swarm.swarmId]);
      if (victim === "users") await stage.deleteUser(swarm.ownerId);
      await until(() => !node.streamHub.isHere(runId), "the node has released the run");
      const left = await stage.rows("select 1 from public.runs where id = $1 and status = 'running'", [runId]);
      assert.equal(left.length, 0);
      if (victim !== "agents") continue;
      const [kept] = await stage.rows<Record<string, unknown>>(
        `select content, metadata, sender_id, sender_agent_id, sender_name, sender_deleted from public.messages
         where run_id = $1 and sender_type = 'agent'`,
        [runId],
      );
      assert.deepEqual(kept, {
        content: "words",
        metadata: { partial: true },
        sender_id: first(swarm.agentIds),
        sender_agent_id: null,
        sender_name: "Ada",
        sender_deleted: true,
      });
    }
    await node.stop();
  });

  test("nodes that stop hand a run over, more often than lost ones may, and the last one ends it", async () => {
    const swarm = await stage.newSwarm({ agents: ["Ada"] });
    const runId = await stage.ask(swarm);
    // Longer than the test: only a lease that was released is free.
    const executor = { stopTimeoutMs: 50, leaseMs: 600_000 };
    for (const text of ["one", "two", "three", "four"]) {
      const node = stage.node({ script: (call) => hangs(call, text), executor });
      const shown = collect(node, runId);
      node.start();
      node.executor.wake();
      await until(() => shown.some(({ data }) => JSON.stringify(data).includes(text)), "it speaks");
      await node.stop();
      assert.equal(node.executor.reservePlace({ frameworks: [], userId: null }), null);
      const [released] = await stage.rows(
        "select owner, takeovers, expires_at <= now() as is_free from private.run_leases where run_id = $1",
        [runId],
      );
      assert.deepEqual(released, { owner: null, takeovers: 0, is_free: true });
    }
    const last = stage.node({ script: (call) => says(call, "done"), executor });
    const shown = collect(last, runId);
    last.start();
    assert.equal(await outcomeOf(runId), "completed all_replied");
    assert.deepEqual(
      (await stage.texts(runId)).map(({ content }) => content),
      ["done"],
    );
    assert.ok(shown.some(({ type }) => type === "turn.restarted"));
    await last.stop();
  });

  test("a node that stops lets runs end that are quick enough", async () => {
    const swarm = await stage.newSwarm({ agents: ["Ada"] });
    const node = stage.node({ script: (call) => says(call, "in time"), executor: { stopTimeoutMs: 600_000 } });
    const runId = await stage.ask(swarm);
    await node.take(runId);
    node.start();
    await node.stop();
    assert.equal(await outcomeOf(runId), "completed all_replied");
  });
});

describe("a run whose starter", () => {
  async function join(swarmId: string): Promise<string> {
    const memberId = await stage.newUser();
    await stage.rows(
      "insert into public.swarm_members (swarm_id, user_id, role, status) values ($1, $2, 'member', 'active')",
      [swarmId, memberId],
    );
    return memberId;
  }
  const remove = (swarmId: string, userId: string): Promise<unknown> =>
    stage.rows("delete from public.swarm_members where swarm_id = $1 and user_id = $2", [swarmId, userId]);
  const pollOften = { times: { watchMs: 30, claimPollMs: 30 } };

  const demote = (swarmId: string, userId: string): Promise<unknown> =>
    stage.rows(
      "update public.swarm_members set role = 'viewer' where swarm_id = $1 and user_id = $2 and status = 'active'",
      [swarmId, userId],
    );

  for (const [name, act] of [
    ["is removed from the swarm", remove],
    ["becomes a viewer", demote],
    ["deletes the account", (_: string, userId: string) => stage.deleteUser(userId)],
  ] as const)
    test(`${name} ends and keeps its partial message`, async () => {
      const swarm = await stage.newSwarm({ agents: ["Ada"] });
      const memberId = await join(swarm.swarmId);
      const node = stage.node({ script: (call) => hangs(call, "so far"), executor: pollOften });
      node.start();
      const runId = await stage.ask({ ...swarm, ownerId: memberId });
      const shown = collect(node, runId);
      node.executor.wake();
      await until(() => shown.some(({ type }) => type === "message.delta"), "it speaks");
      await act(swarm.swarmId, memberId);
      assert.equal(await outcomeOf(runId), "cancelled starter_removed");
      assert.equal((await stage.run(runId)).error?.code, "FORBIDDEN");
      assert.deepEqual(await stage.texts(runId), [
        { content: "so far", finish_reason: "cancelled", metadata: { partial: true } },
      ]);
      await node.stop();
    });

  test("is removed while the run is queued makes no model call", async () => {
    const swarm = await stage.newSwarm({ agents: ["Ada"] });
    const memberId = await join(swarm.swarmId);
    const runId = await stage.ask({ ...swarm, ownerId: memberId });
    await remove(swarm.swarmId, memberId);
    let asked = 0;
    const node = stage.node({
      script: (call) => {
        asked += 1;
        return says(call, "hi");
      },
    });
    await node.take(runId);
    assert.equal(await outcomeOf(runId), "cancelled starter_removed");
    assert.equal(asked, 0);
  });

  test("was named by the service role and is not a member continues", async () => {
    const swarm = await stage.newSwarm({ agents: ["Ada"] });
    const guestId = await stage.newUser();
    const node = stage.node({ script: (call) => says(call, "hi"), executor: pollOften });
    for (const request of [{ payer_id: guestId }, { source: "auto_respond", by_service: true }]) {
      const runId = await stage.ask({ ...swarm, ownerId: guestId }, "hello", request);
      await node.take(runId);
      assert.equal(await outcomeOf(runId), "completed all_replied");
    }
  });

  test("is removed continues if it also answers messages of other members", async () => {
    const swarm = await stage.newSwarm({ agents: ["Ada"] });
    const memberId = await join(swarm.swarmId);
    const runId = await stage.ask({ ...swarm, ownerId: memberId }, "anybody?", { source: "auto_respond" });
    await stage.rows(
      "insert into public.messages (swarm_id, sender_type, sender_user_id, content) values ($1, 'user', $2, 'me too')",
      [swarm.swarmId, swarm.ownerId],
    );
    await remove(swarm.swarmId, memberId);
    const node = stage.node({ script: (call) => says(call, "hi") });
    await node.take(runId);
    assert.equal(await outcomeOf(runId), "completed all_replied");
  });
});

describe("a node that dies", () => {
  test("leaves a run that was taken over twice to be ended with the stored text; its later writes are rejected", async () => {
    const swarm = await stage.newSwarm({ agents: ["Ada"] });
    const blocker = Promise.withResolvers<void>();
    // Without its workers it renews no lease, like a process that hangs.
    const dead = stage.node({
      executor: { leaseMs: 400 },
      script: async function* (call) {
        yield* says(call, "once upon a ", "time");
        await blocker.promise;
        yield { type: "text", delta: " there was more" };
      },
    });
    const runId = await stage.ask(swarm);
    const shown = collect(dead, runId);
    await dead.take(runId);
    await stage.rows("update private.run_leases set takeovers = 2 where run_id = $1", [runId]);
    const stored = (): Promise<unknown[]> =>
      stage.rows("select 1 from public.run_events where run_id = $1 and type = 'message.delta'", [runId]);
    await until(async () => (await stored()).length > 0, "the words are stored");
    assert.equal(await stage.statusOf(first(swarm.agentIds)), "responding");
    const next = await stage.ask(swarm, "still there?");

    const other = stage.node({ script: (call) => says(call, "yes"), executor: { times: { sweepMs: 50 } } });
    other.start();
    assert.equal(await outcomeOf(runId), "partial worker_lost");
    assert.equal(await outcomeOf(next), "completed all_replied");
    assert.equal(await stage.statusOf(first(swarm.agentIds)), "idle");
    const lost = { name: "run.ended", fields: { status: "partial", stopReason: "worker_lost" } };
    await until(() => other.notes.some((note) => isDeepStrictEqual(note, lost)), "the end is counted");
    const kept = { content: "once upon a time", finish_reason: "error", metadata: { partial: true } };
    assert.deepEqual(await stage.texts(runId), [kept]);
    blocker.resolve();
    await until(() => !dead.streamHub.isHere(runId), "the dead node has noticed");
    assert.deepEqual(await stage.texts(runId), [kept]);
    const [last] = await stage.rows<{ seq: number }>(
      "select max(seq) as seq from public.run_events where run_id = $1",
      [runId],
    );
    assert.ok((last?.seq ?? 0) > 100_000 && (shown.at(-1)?.seq ?? 0) < 100_000);
    await other.stop();
  });
});

describe("one agent in many swarms", () => {
  test("answers in all of them at once, and is responding as long as any of its turns is", async () => {
    const owner = await stage.newSwarm({ agents: ["Ada"] });
    const agentId = first(owner.agentIds);
    const swarms = [owner.swarmId];
    for (let count = 1; count < 6; count += 1) {
      const [row] = await stage.rows<{ id: string }>(
        "insert into public.swarms (owner_id, name) values ($1, 'further') returning id",
        [owner.ownerId],
      );
      swarms.push(row?.id ?? "");
      await stage.sql.query("insert into public.swarm_agents (swarm_id, agent_id) values ($1, $2)", [row?.id, agentId]);
    }
    const blockers: PromiseWithResolvers<void>[] = [];
    const node = stage.node({
      script: async function* (call) {
        const blocker = Promise.withResolvers<void>();
        blockers.push(blocker);
        yield { type: "start", framework: call.framework, model: "scripted", attempt: 1 };
        yield { type: "text", delta: "hm" };
        await blocker.promise;
        yield* says(call, " done");
      },
    });
    const runs: string[] = [];
    for (const swarmId of swarms) runs.push(await stage.ask({ swarmId, ownerId: owner.ownerId }));
    node.start();
    node.executor.wake();
    await until(() => blockers.length === 6, "all turns are in progress");
    await until(async () => (await stage.statusOf(agentId)) === "responding", "it responds");
    for (const blocker of blockers.slice(1)) blocker.resolve();
    const isOver = "select 1 from public.runs where id = any ($1) and status = 'completed'";
    await until(async () => (await stage.rows(isOver, [runs])).length === 5, "five runs have ended");
    assert.equal(await stage.statusOf(agentId), "responding");
    blockers[0]?.resolve();
    for (const runId of runs) assert.equal(await outcomeOf(runId), "completed all_replied");
    await until(async () => (await stage.statusOf(agentId)) === "idle", "it is idle");
    await node.stop();
  });
});
