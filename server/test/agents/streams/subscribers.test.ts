import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, beforeEach, describe, test } from "node:test";
import type { RunAnswer } from "../../../src/agents/respond/open-respond.ts";
import { type Principal, SERVICE_PRINCIPAL, type UserPrincipal } from "../../../src/db/index.ts";
import { codeOf, IN_FRONT, LISTENING, openStage, requestTo, type Stage, type Swarm } from "../support/respond-stage.ts";
import { until } from "../../support/until.ts";

const closers: (() => Promise<void>)[] = [];
let stage: Stage;
let ada: UserPrincipal;
let bob: UserPrincipal;
let swarm: Swarm;

before(async () => {
  stage = await openStage({ after: (close) => void closers.push(close) });
  [ada, bob] = [await stage.newUser(), await stage.newUser()];
});
after(async () => {
  for (const close of closers.reverse()) await close();
});
beforeEach(async () => {
  // Two turns start together, so none starts with the run: the test emits all further events.
  swarm = await stage.newSwarm(ada, { agents: ["Ann", "Bob"], strategy: "parallel" });
  await stage.join(swarm, bob, "member");
  stage.hasCapacity = true;
});

interface Frame {
  readonly id: number;
  readonly event: string;
  readonly data: Record<string, unknown>;
}

const STREAMED = { ...LISTENING, isStreamed: true };

function streamOf(answer: RunAnswer): AsyncIterator<string> {
  assert.ok("stream" in answer);
  assert.equal(answer.headers["content-type"], "text/event-stream; charset=utf-8");
  return answer.stream[Symbol.asyncIterator]();
}

function parse(text: string): Frame[] {
  return text
    .split("\n\n")
    .filter((frame) => frame.startsWith("id: "))
    .map((frame) => {
      const [id = "", event = "", data = ""] = frame.split("\n").map((line) => line.replace(/^\w+: /, ""));
      return { id: Number(id), event, data: JSON.parse(data) as Record<string, unknown> };
    });
}

async function readAll(stream: AsyncIterator<string>): Promise<Frame[]> {
  let text = "";
  for (let piece = await stream.next(); piece.done !== true; piece = await stream.next()) text += piece.value;
  return parse(text);
}

function shapeOf(frames: readonly Frame[]): unknown[] {
  return frames.map(({ id, event, data }) => (event.endsWith(".delta") ? [id, data["delta"]] : [id, event]));
}

async function storeEvent(runId: string, seq: number, type: string, data: object, restricted = false): Promise<void> {
  await stage.rows(
    `insert into public.run_events (run_id, seq, swarm_id, agent_id, restricted, type, data)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [runId, seq, swarm.id, swarm.agentIds[0], restricted, type, data],
  );
}

/** A run that another node executes. */
async function startElsewhere(): Promise<string> {
  stage.hasCapacity = false;
  const { run_id: runId } = await stage.ask(ada, swarm);
  await stage.rows("select private.start_run($1, 'elsewhere', 60000)", [runId]);
  return runId;
}

describe("a stream", () => {
  test("emits every event of a run that was started here once, then ends", async () => {
    const answer = await stage.respond.start(ada, requestTo(stage, swarm), { ...STREAMED, ...IN_FRONT });
    const runId = answer.headers["x-run-id"] ?? "";
    const stream = streamOf(answer);
    assert.deepEqual(shapeOf(parse((await stream.next()).value as string)), [
      [1, "message.created"],
      [2, "run.started"],
    ]);
    const event = { runId, type: "message.delta", agentId: null, isRestricted: false };
    stage.streamHub.publish({ ...event, seq: 3, data: { delta: "a" } });
    assert.deepEqual(shapeOf(parse((await stream.next()).value as string)), [[3, "a"]]);
    stage.streamHub.publish({ ...event, seq: 4, data: { delta: "b" } });
    stage.streamHub.publish({ ...event, seq: 4, data: { delta: "b" } });
    await storeEvent(runId, 4, "message.delta", { first_seq: 3, deltas: ["a", "b"] });
    await stage.finish(runId);
    const rest = await readAll(stream);
    assert.deepEqual(shapeOf(rest), [
      [4, "b"],
      [5, "run.completed"],
      [6, "done"],
    ]);
    assert.deepEqual([rest[1]?.data["status"], rest[1]?.data["seq"]], ["completed", 5]);
  });

  test("of an ended run replays the stored events after the last seen one", async () => {
    const { run_id: runId } = await stage.ask(ada, swarm);
    await storeEvent(runId, 5, "message.delta", { first_seq: 3, deltas: ["a", "b", "c"] });
    await stage.finish(runId);
    const attach = async (afterSeq: number): Promise<unknown[]> =>
      shapeOf(await readAll(streamOf(await stage.respond.attach(bob, runId, { ...STREAMED, afterSeq }))));
    assert.deepEqual(await attach(0), [
      [1, "message.created"],
      [2, "run.started"],
      [3, "a"],
      [4, "b"],
      [5, "c"],
      [6, "run.completed"],
      [7, "done"],
    ]);
    assert.deepEqual(await attach(4), [
      [5, "c"],
      [6, "run.completed"],
      [7, "done"],
    ]);
    assert.deepEqual(await attach(6), [[7, "done"]]);
    assert.deepEqual(await attach(7), [], "nothing follows done");
    await stage.rows("delete from public.run_events where run_id = $1", [runId]);
    for (const seen of [0, 7])
      assert.deepEqual(await attach(seen), [
        [2_147_483_646, "run.completed"],
        [2_147_483_647, "done"],
      ]);
    assert.deepEqual(await attach(2_147_483_646), [[2_147_483_647, "done"]]);
    assert.deepEqual(await attach(2_147_483_647), []);
  });

  test("reads the events of a run that another node executes", async () => {
    const runId = await startElsewhere();
    const stream = streamOf(await stage.respond.attach(ada, runId, STREAMED));
    assert.equal(parse((await stream.next()).value as string).length, 3);
    await storeEvent(runId, 5, "message.delta", { first_seq: 4, deltas: ["x", "y"] });
    assert.deepEqual(shapeOf(parse((await stream.next()).value as string)), [
      [4, "x"],
      [5, "y"],
    ]);
    await stage.finish(runId);
    assert.deepEqual(shapeOf(await readAll(stream)), [
      [6, "run.completed"],
      [7, "done"],
    ]);
  });

  test("hides tool inputs and outputs from members who neither own the agent nor manage the swarm", async () => {
    const { run_id: runId } = await stage.ask(ada, swarm);
    await storeEvent(runId, 3, "tool.executed", { tool_name: "t", input: { a: 1 }, output_preview: "secret" }, true);
    await storeEvent(runId, 4, "reasoning.delta", { first_seq: 4, deltas: ["hm"] });
    await stage.finish(runId);
    const toolOf = async (principal: Principal, more = {}): Promise<Frame[]> =>
      readAll(streamOf(await stage.respond.attach(principal, runId, { ...STREAMED, afterSeq: 2, ...more })));
    for (const principal of [ada, SERVICE_PRINCIPAL])
      assert.deepEqual((await toolOf(principal))[0]?.data["input"], { a: 1 });
    const [shown, next] = await toolOf(bob);
    assert.deepEqual(Object.keys(shown?.data ?? {}), ["tool_name", "run_id", "seq"]);
    assert.equal(next?.event, "run.completed", "reasoning is shown to those who ask for it");
    assert.equal((await toolOf(bob, { isReasoningWanted: true }))[1]?.event, "reasoning.delta");
  });

  test("is only for members of the swarm, and ends for removed members", async () => {
    const runId = await startElsewhere();
    const stranger = await stage.newUser();
    assert.equal(await codeOf(stage.respond.attach(stranger, runId, STREAMED)), "RUN_NOT_FOUND");
    assert.equal(await codeOf(stage.respond.attach(ada, randomUUID(), STREAMED)), "RUN_NOT_FOUND");

    const sessionId = randomUUID();
    await stage.rows("insert into auth.sessions (id, user_id, refresh_key_wrapped) values ($1, $2, '')", [
      sessionId,
      ada.userId,
    ]);
    const session = { userId: ada.userId, sessionId, inactivitySeconds: 0 };
    const streams = [
      streamOf(await stage.respond.attach(bob, runId, STREAMED)),
      streamOf(await stage.respond.attach({ ...ada, session }, runId, STREAMED)),
    ];
    for (const stream of streams) await stream.next();
    const startedMs = performance.now();
    await stage.rows("delete from public.swarm_members where user_id = $1 and swarm_id = $2", [bob.userId, swarm.id]);
    await stage.rows("delete from auth.sessions where id = $1", [sessionId]);
    for (const stream of streams) assert.deepEqual(await readAll(stream), []);
    assert.ok(performance.now() - startedMs < 30_000);
    assert.equal(await codeOf(stage.respond.attach({ ...ada, session }, runId, STREAMED)), "RUN_NOT_FOUND");
  });

  test("does not end its run when the reader disconnects, unless the request says so", async () => {
    for (const isCancelledOnLeave of [false, true]) {
      const ownSwarm = await stage.newSwarm(ada);
      const leaving = new AbortController();
      const answer = await stage.respond.start(ada, requestTo(stage, ownSwarm), {
        ...STREAMED,
        signal: leaving.signal,
        isBackground: false,
        isCancelledOnLeave,
      });
      const runId = answer.headers["x-run-id"] ?? "";
      const stream = streamOf(answer);
      await stream.next();
      leaving.abort();
      assert.deepEqual(await readAll(stream), []);
      assert.equal(stage.cancelled.includes(runId), isCancelledOnLeave);
      const [lease] = await stage.rows<{ cancel_reason: string | null }>(
        "select cancel_reason from private.run_leases where run_id = $1",
        [runId],
      );
      assert.equal(lease?.cancel_reason, isCancelledOnLeave ? "disconnected" : null);
    }
  });
});

describe("a request that waits for a run", () => {
  const waitFor = (target: Swarm): Promise<RunAnswer> =>
    stage.respond.start(ada, requestTo(stage, target), { ...LISTENING, ...IN_FRONT });

  test("returns the run when it has ended", async () => {
    const count = stage.taken.length;
    const waiting = waitFor(swarm);
    await until(() => stage.taken.length > count, "the run is taken");
    const runId = stage.taken.at(-1)?.runId ?? "";
    await stage.finish(runId);
    const answer = await waiting;
    assert.ok("body" in answer);
    assert.deepEqual([answer.status, answer.body.run_id, answer.body.status], [200, runId, "completed"]);
    assert.equal(answer.headers["x-run-id"], runId);
    const attached = await stage.respond.attach(ada, runId, LISTENING);
    assert.ok("body" in attached);
    for (const { body } of [answer, attached])
      assert.equal(
        Object.keys(body).join(" "),
        "run_id swarm_id status stop_reason message responses errors usage pending_approvals pending_client_calls pending_waits created_at completed_at",
      );
  });

  test("returns 202 when the run has been queued too long", async () => {
    await stage.ask(ada, swarm);
    const answer = await waitFor(swarm);
    assert.ok("body" in answer);
    assert.deepEqual([answer.status, answer.body.status], [202, "queued"]);
  });
});

describe("control of a run", () => {
  test("its starter, and the owner and admins of the swarm, can cancel it; a queued run ends at once", async () => {
    const carol = await stage.newUser();
    await stage.join(swarm, carol, "member");
    await stage.ask(ada, swarm);
    const { run_id: runId } = await stage.ask(bob, swarm);
    const { signal } = LISTENING;
    assert.equal(await codeOf(stage.respond.cancel(carol, runId, signal)), "FORBIDDEN");
    assert.equal(await codeOf(stage.respond.cancel(await stage.newUser(), runId, signal)), "RUN_NOT_FOUND");
    for (const principal of [bob, ada]) {
      const answer = await stage.respond.cancel(principal, runId, signal);
      assert.ok("body" in answer);
      assert.deepEqual([answer.status, answer.body.status, answer.body.stop_reason], [200, "cancelled", "cancelled"]);
    }
  });

  /** A run of Bob with waiting tool calls; the numbers are their deadlines in minutes. */
  async function waitForDecisions(agentId: string, ...minutes: number[]): Promise<{ runId: string; ids: string[] }> {
    const { run_id: runId } = await stage.ask(bob, swarm);
    const turnId = randomUUID();
    const ids = minutes.map(() => randomUUID());
    await stage.rows(
      `insert into public.run_turns (id, run_id, swarm_id, agent_id, agent_name, position, status, framework, model)
       values ($1, $2, $3, $4, 'Ann', 0, 'thinking', 'provider_a', 'm')`,
      [turnId, runId, swarm.id, agentId],
    );
    for (const [at, id] of ids.entries()) {
      await stage.rows(
        `insert into public.tool_executions (id, run_id, turn_id, swarm_id, agent_id, tool_name, tool_call_id, status,
           expires_at, approver_id)
         select $1, $2, $3, $4, a.id, 'tool', 'call', 'pending_approval', now() + $6::int * interval '1 minute', a.user_id
         from public.agents a where a.id = $5`,
        [id, runId, turnId, swarm.id, agentId, minutes[at]],
      );
      await stage.rows(
        `insert into public.tool_execution_payloads (tool_execution_id, swarm_id, agent_id, input)
         values ($1, $2, $3, '{"amount": 5}')`,
        [id, swarm.id, agentId],
      );
    }
    await storeEvent(runId, 5, "tool.approval_required", {}, true);
    await stage.rows("update public.runs set status = 'requires_action' where id = $1", [runId]);
    await stage.rows("update private.run_leases set owner = null, expires_at = null where run_id = $1", [runId]);
    return { runId, ids };
  }

  test("the input of a pending call is visible to the agent's owner and to owners and admins of the swarm", async () => {
    const carl = await stage.newUser();
    await stage.join(swarm, carl, "member");
    const [agent] = await stage.rows<{ id: string }>(
      "insert into public.agents (user_id, name) values ($1, 'Carl''s') returning id",
      [carl.userId],
    );
    await stage.rows("insert into public.swarm_agents (swarm_id, agent_id) values ($1, $2)", [swarm.id, agent?.id]);
    const { runId, ids } = await waitForDecisions(agent?.id ?? "", 15);
    const see = async (principal: Principal): Promise<unknown> => {
      const answer = await stage.respond.attach(principal, runId, LISTENING);
      assert.ok("body" in answer);
      return answer.body.pending_approvals;
    };
    const pending = { tool_execution_id: ids[0], tool_name: "tool", agent_id: agent?.id };
    const shown = async (principal: Principal): Promise<unknown> =>
      ((await see(principal)) as Record<string, unknown>[]).map(({ expires_at: _, ...rest }) => rest);
    const service: Principal = SERVICE_PRINCIPAL;
    for (const principal of [carl, ada, service])
      assert.deepEqual(await shown(principal), [{ ...pending, input: { amount: 5 } }]);
    assert.deepEqual(await shown(bob), [pending], "a member who only started the run");
  });

  test("approve returns the state after the decision", async () => {
    const { runId, ids } = await waitForDecisions(swarm.agentIds[0] ?? "", 15);
    const decisions = [{ tool_execution_id: ids[0] ?? "", approved: true }];
    stage.onWake = () => void stage.rows("select private.start_run($1, 'elsewhere', 60000)", [runId]);
    try {
      const answer = await stage.respond.decide(ada, runId, decisions);
      assert.ok("body" in answer);
      assert.deepEqual([answer.status, answer.body.status, answer.body.pending_approvals], [200, "running", null]);
    } finally {
      stage.onWake = () => {};
    }
  });

  test("only the agent's owner decides, once and in time, for all calls or none", async () => {
    const { runId, ids } = await waitForDecisions(swarm.agentIds[0] ?? "", 15, 15, 15, -1);
    const [first = "", second = "", third = "", late = ""] = ids;
    const decide = (principal: UserPrincipal, ...decisions: [id: string, approved: boolean][]): Promise<RunAnswer> =>
      stage.respond.decide(
        principal,
        runId,
        decisions.map(([id, approved]) => ({ tool_execution_id: id, approved, reason: "because" })),
      );
    const statuses = async (): Promise<string[]> => {
      const rows = await stage.rows<{ id: string; status: string }>(
        "select id, status from public.tool_executions where run_id = $1",
        [runId],
      );
      return ids.map((id) => rows.find((row) => row.id === id)?.status ?? "");
    };

    const refusals: [call: () => Promise<unknown>, code: string][] = [
      [() => decide(bob, [first, true]), "FORBIDDEN"],
      [async () => decide(await stage.newUser(), [first, true]), "RUN_NOT_FOUND"],
      [() => decide(ada, [first, true], [randomUUID(), true]), "VALIDATION_ERROR"],
      [() => decide(ada, [first, true], [first, false]), "APPROVAL_DECIDED"],
      [() => decide(ada, [first, true], [late, true]), "APPROVAL_EXPIRED"],
    ];
    for (const [call, code] of refusals) assert.equal(await codeOf(call()), code);
    assert.deepEqual(await statuses(), Array(4).fill("pending_approval"));

    const answer = await decide(ada, [first, true], [second, false]);
    assert.ok("body" in answer);
    assert.deepEqual([answer.status, answer.body.status], [200, "requires_action"]);
    assert.deepEqual(await statuses(), ["running", "denied", "pending_approval", "pending_approval"]);
    assert.equal(await codeOf(decide(ada, [first, false])), "APPROVAL_DECIDED");
    const cancelled = await stage.respond.cancel(bob, runId, LISTENING.signal);
    assert.ok("body" in cancelled);
    assert.equal(cancelled.body.status, "cancelled");
    assert.equal(await codeOf(decide(ada, [third, true])), "APPROVAL_DECIDED");
  });
});
