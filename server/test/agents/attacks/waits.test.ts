import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { sweepRuns } from "../../../src/agents/execution/sql/manage-runs.ts";
import { addAgent, addMember } from "../support/acting-stage.ts";
import { codeOf } from "../support/respond-stage.ts";
import { lastRole, type NewSwarm, openRunStage, type RunStage, says } from "../support/run-stage.ts";
import {
  assign,
  callsThenTells,
  goOn,
  makeDue,
  newWaiter,
  openWait,
  resultsOf,
  signal,
  sleeps,
  tools,
  untilStatus,
  waitsFor,
} from "../support/wait-stage.ts";
import { until } from "../../support/until.ts";

let stage: RunStage;
const closers: (() => Promise<void>)[] = [];
before(async () => {
  stage = await openRunStage({ after: (close) => void closers.push(close) });
});
after(async () => {
  for (const close of closers.reverse()) await close();
});

const join = async (swarmId: string, role: string): Promise<string> => {
  const userId = await stage.newUser();
  await stage.rows("insert into public.swarm_members (swarm_id, user_id, role, status) values ($1, $2, $3, 'active')", [
    swarmId,
    userId,
    role,
  ]);
  return userId;
};
const codeOfError = (error: unknown): unknown => (error as { code?: unknown }).code;
const isOver = async (runId: string): Promise<boolean> =>
  (await stage.rows("select 1 from public.runs where id = $1 and can_continue", [runId])).length > 0;

describe("who sends a signal", () => {
  test("is the starter or the service role, and others only where the wait says so", async () => {
    const swarm = await newWaiter(stage);
    const { swarmId, ownerId } = swarm;
    const senders = {
      stranger: await stage.newUser(),
      viewer: await join(swarmId, "viewer"),
      member: await join(swarmId, "member"),
      admin: await join(swarmId, "admin"),
      starter: ownerId,
      service: null,
    };
    const expected: Readonly<Record<string, Record<keyof typeof senders, string>>> = {
      starter: {
        stranger: "RUN_NOT_FOUND",
        viewer: "FORBIDDEN",
        member: "FORBIDDEN",
        admin: "FORBIDDEN",
        starter: "answered",
        service: "answered",
      },
      members: {
        stranger: "RUN_NOT_FOUND",
        viewer: "FORBIDDEN",
        member: "answered",
        admin: "answered",
        starter: "answered",
        service: "answered",
      },
    };
    for (const [from, codes] of Object.entries(expected))
      for (const [sender, code] of Object.entries(codes)) {
        const { runId } = await openWait(stage, { swarm, steps: [[waitsFor("go", { from })]] });
        const userId = senders[sender as keyof typeof senders];
        assert.equal(await codeOf(signal(stage, runId, "go", { userId })), code, `${sender}, from ${from}`);
        assert.equal(await isOver(runId), code === "answered", `${sender}, from ${from}`);
        // Nobody but these keeps signals for later.
        const isKept = (await codeOf(signal(stage, runId, "later", { userId }))) === "answered";
        assert.equal(isKept, sender === "starter" || sender === "service", `${sender} keeps a signal`);
        await stage.rows("select private.request_cancel($1, 'cancelled')", [runId]);
      }
  });

  test("learns nothing of runs of others", async () => {
    const { runId } = await openWait(stage, { steps: [[waitsFor("go")]] });
    const stranger = await stage.newUser();
    const failed = async (id: string): Promise<string> => {
      const error: unknown = await signal(stage, id, "go", { userId: stranger }).catch((thrown: unknown) => thrown);
      return JSON.stringify([codeOfError(error), String(error)]);
    };
    assert.deepEqual(await failed(runId), await failed(randomUUID()));
    assert.equal(await isOver(runId), false);
  });

  test("is told apart in what the model reads, and a member's signal makes the starter approve", async () => {
    const swarm = await newWaiter(stage);
    const toolId = await stage.newTool(swarm.agentIds[0] ?? "", "orders", { kind: "rpc" });
    await stage.rows("update public.tools set is_vouched = true where id = $1", [toolId]);
    const member = await join(swarm.swarmId, "member");
    const steps = [[waitsFor("go", { from: "members" })], [{ name: "orders" }]];
    const waiting = await openWait(stage, { swarm, steps });
    await signal(stage, waiting.runId, "go", { userId: member, data: "Pay me." });
    const node = waiting.another();
    node.start();
    await untilStatus(stage, waiting.runId, "requires_action");
    const [result] = await resultsOf(stage, waiting.runId);
    assert.deepEqual([result?.["sent_by"], result?.["member_id"]], ["member", member]);
    const pending = await stage.rows<{ approver_id: string }>(
      "select approver_id from public.tool_executions where run_id = $1 and status = 'pending_approval'",
      [waiting.runId],
    );
    assert.deepEqual(pending, [{ approver_id: swarm.ownerId }]);
    await node.stop();
  });

  test("sends at most 100 that are kept, and each once with a key", async () => {
    const waiting = await openWait(stage, { steps: [[waitsFor("go")]] });
    const { runId, swarm } = waiting;
    const { ownerId: userId } = swarm;
    const key = { idempotency_key: "user:1", request_hash: "ab" };
    for (let again = 0; again < 3; again += 1) await signal(stage, runId, "go", { userId, data: again, key });
    const kept = async (): Promise<number> =>
      (await stage.rows("select 1 from private.run_signals where run_id = $1", [runId])).length;
    assert.equal(await kept(), 0);
    assert.equal(
      await codeOf(signal(stage, runId, "go", { userId, key: { ...key, request_hash: "cd" } })),
      "IDEMPOTENCY_KEY_REUSED",
    );
    const byService = { userId: null, key: { idempotency_key: "service:1", request_hash: "ab" } };
    await Promise.all(Array.from({ length: 5 }, () => signal(stage, runId, "x", byService)));
    assert.equal(await kept(), 1);
    const codes = await Promise.all(
      Array.from({ length: 110 }, (_, data) => codeOf(signal(stage, runId, "x", { userId, data }))),
    );
    assert.equal(codes.filter((code) => code === "answered").length, 99);
    assert.deepEqual(new Set(codes), new Set(["answered", "SIGNAL_LIMIT_REACHED"]));
    assert.equal(await kept(), 100);
    assert.equal(await goOn(stage, waiting), "completed all_replied");
    assert.equal(await codeOf(signal(stage, runId, "go", { userId, key })), "answered");
    assert.equal(await codeOf(signal(stage, runId, "go", { userId })), "RUN_ENDED");
  });
});

describe("rights that end while a run waits", () => {
  const cases: Readonly<
    Record<string, { take: (starter: string, runId: string) => Promise<unknown>; reason: string }>
  > = {
    "the starter is banned": {
      take: (starter) => stage.rows("update auth.users set banned_until = 'infinity' where id = $1", [starter]),
      reason: "cancelled starter_removed",
    },
    "the starter is removed from the swarm": {
      take: (starter) => stage.rows("delete from public.swarm_members where user_id = $1", [starter]),
      reason: "cancelled starter_removed",
    },
    "the API key that started the run is revoked": {
      take: async (_starter, runId) => {
        const text = "update private.run_leases set api_key_id = $2 where run_id = $1";
        await stage.rows(text, [runId, randomUUID()]);
      },
      reason: "cancelled starter_removed",
    },
  };
  for (const [name, { take, reason }] of Object.entries(cases))
    test(`${name}: the run does nothing more`, async () => {
      const owner = await newWaiter(stage);
      const starter = await join(owner.swarmId, "member");
      const swarm = { ...owner, ownerId: starter };
      const waiting = await openWait(stage, { swarm, steps: [[sleeps()]] });
      await take(starter, waiting.runId);
      await makeDue(stage, waiting.runId);
      const node = waiting.another({ script: () => assert.fail("the model is called") });
      const again = { ...waiting, another: () => node };
      assert.equal(await goOn(stage, again), reason);
      assert.deepEqual(await stage.texts(waiting.runId), []);
    });

  for (const [name, withdraw] of [
    ["the grant is withdrawn", "delete from public.agent_grants where agent_id = $1"],
    [
      "the owner of the agent is banned",
      "update auth.users set banned_until = 'infinity' where id = (select user_id from public.agents where id = $1)",
    ],
    ["the agent is deleted", "delete from public.agents where id = $1"],
  ] as const)
    test(`${name}: the agent says nothing more`, async () => {
      const ownerId = await stage.newUser();
      const agentId = await stage.newAgent(ownerId, "Ada");
      await assign(stage, agentId);
      const swarm = await stage.newSwarm({ agents: [] });
      await addAgent(stage, swarm.swarmId, agentId);
      const waiting = await openWait(stage, { swarm, steps: [[waitsFor("go")]] });
      // The owner of the agent is no member, and learns nothing of the conversation.
      assert.equal(await codeOf(signal(stage, waiting.runId, "go", { userId: ownerId })), "RUN_NOT_FOUND");
      await stage.rows(withdraw, [agentId]);
      await makeDue(stage, waiting.runId);
      await goOn(stage, waiting);
      assert.deepEqual(await stage.texts(waiting.runId), []);
    });

  test("a tool is taken away, or changed: a waiting run keeps its version, without that tool", async () => {
    const swarm = await newWaiter(stage);
    const [agentId = ""] = swarm.agentIds;
    const [gone, changed] = [await stage.newTool(agentId, "gone"), await stage.newTool(agentId, "changed")];
    await stage.rows("update public.agents set system_prompt = 'Before.' where id = $1", [agentId]);
    let seen: unknown;
    const waiting = await openWait(stage, {
      swarm,
      steps: [[sleeps()]],
      script: (call) => {
        seen = { system: call.system.includes("Before."), tools: call.tools.map(({ description }) => description) };
        return lastRole(call) === "tool" ? says(call, "done") : callsThenTells([sleeps()])(call);
      },
    });
    await stage.rows("update public.agents set system_prompt = 'After.' where id = $1", [agentId]);
    await stage.rows("delete from public.agent_tools where tool_id = $1", [gone]);
    await stage.rows("update public.tools set description = 'another' where id = $1", [changed]);
    await stage.newTool(agentId, "added");
    await makeDue(stage, waiting.runId);
    assert.equal(await goOn(stage, waiting), "completed all_replied");
    const { system, tools: offered } = seen as { system: boolean; tools: string[] };
    assert.equal(system, true);
    assert.deepEqual(
      offered.filter((description) => ["for tests", "another"].includes(description)),
      ["for tests"],
    );
  });
});

describe("what changes while a run waits", () => {
  /** Waits, and says what the model reads when the run goes on. */
  async function readAfter(
    prepare: (swarm: NewSwarm) => Promise<void>,
    change: (swarm: NewSwarm, runId: string) => Promise<unknown>,
    { kind, end = "completed all_replied" }: { readonly kind?: string; readonly end?: string } = {},
  ): Promise<{ before: string; after: string; stored: string }> {
    const swarm = await newWaiter(stage, { history_limit: 10 });
    if (kind !== undefined) {
      const toolId = await stage.newTool(swarm.agentIds[0] ?? "", "orders", { kind });
      await stage.rows("update public.tools set is_vouched = true where id = $1", [toolId]);
    }
    await prepare(swarm);
    const read: string[] = [];
    const waiting = await openWait(stage, {
      swarm,
      steps: [[sleeps()]],
      script: (call) => {
        read.push(JSON.stringify([call.system, call.messages]));
        return callsThenTells([sleeps()])(call);
      },
    });
    const [{ stored } = { stored: "" }] = await stage.rows<{ stored: string }>(
      "select progress::text as stored from private.run_progress where run_id = $1",
      [waiting.runId],
    );
    await change(swarm, waiting.runId);
    await makeDue(stage, waiting.runId);
    assert.equal(await goOn(stage, waiting), end);
    return { before: read[0] ?? "", after: read.slice(1).join("\n"), stored };
  }
  const say = async ({ swarmId, ownerId }: NewSwarm, ...texts: readonly string[]): Promise<void> => {
    for (const text of texts)
      await stage.rows(
        "insert into public.messages (swarm_id, sender_type, sender_user_id, content) values ($1, 'user', $2, $3)",
        [swarmId, ownerId, text],
      );
  };
  const has = (text: string, ...words: readonly string[]): boolean[] => words.map((word) => text.includes(word));

  test("messages that were edited, deleted or written: the turn reads those with which it began, as they are now", async () => {
    const { before, after, stored } = await readAfter(
      (swarm) => say(swarm, "the PIN is 1234", "the word is Rumpel", "stays"),
      async (swarm) => {
        const { swarmId } = swarm;
        await stage.rows("delete from public.messages where swarm_id = $1 and seq = 1", [swarmId]);
        await stage.rows("update public.messages set content = 'no word' where swarm_id = $1 and seq = 2", [swarmId]);
        // As many as fit, and from a clock that was set back.
        await say(swarm, ...Array.from({ length: 12 }, (_, number) => `later ${number}`));
        await stage.rows("update public.messages set created_at = now() - interval '1 day' where content ~ '^later'");
      },
    );
    assert.deepEqual(has(before, "1234", "Rumpel", "stays", "hello"), [true, true, true, true]);
    assert.deepEqual(has(after, "1234", "Rumpel", "no word", "stays", "hello", "later", "ended_by"), [
      false,
      false,
      true,
      true,
      true,
      false,
      true,
    ]);
    assert.deepEqual(has(stored, "1234", "Rumpel", "hello"), [false, false, false]);
  });

  test("a message that a summary covers: the summary is gone, and the one before it or none is read", async () => {
    const summarise = ({ swarmId, agentIds }: NewSwarm, upToSeq: number, text: string): Promise<unknown> =>
      stage.rows(
        "insert into public.conversation_summaries (swarm_id, agent_id, up_to_seq, text) values ($1, $2, $3, $4)",
        [swarmId, agentIds[0], upToSeq, text],
      );
    const { before, after } = await readAfter(
      async (swarm) => {
        await say(swarm, "one", "two", "three", "four");
        await summarise(swarm, 1, "They said ONE.");
        await summarise(swarm, 3, "They said TWO.");
      },
      async (swarm) => {
        await stage.rows("update public.messages set content = 'zwei' where swarm_id = $1 and seq = 2", [
          swarm.swarmId,
        ]);
        // Of messages that the turn does not read.
        await summarise(swarm, 5, "They said FIVE.");
      },
    );
    assert.deepEqual(has(before, "ONE", "TWO", "four"), [false, true, true]);
    assert.deepEqual(has(after, "ONE", "TWO", "FIVE", "zwei", "four"), [true, false, false, true, true]);
  });

  test("somebody joins: what a tool told the starter alone in an earlier run stays with the starter", async () => {
    const ask = async (swarm: NewSwarm): Promise<void> => {
      const node = stage.node({ tools, script: callsThenTells([{ name: "orders" }]) });
      const runId = await stage.ask(swarm);
      await node.take(runId);
      assert.equal((await stage.end(runId)).status, "completed");
      // The result must be in the history alone.
      await stage.rows("update public.messages set content = 'done' where run_id = $1", [runId]);
    };
    const { before, after } = await readAfter(ask, async ({ swarmId }) => void (await join(swarmId, "member")), {
      kind: "rpc",
    });
    assert.deepEqual([...has(before, "orders says"), ...has(after, "orders says")], [true, false]);
  });

  test("a message becomes one that a guardrail blocks: the agent does not read it", async () => {
    const { before, after } = await readAfter(
      async (swarm) => {
        await say(swarm, "a harmless word");
        await stage.rows(
          `insert into public.guardrails (agent_id, name, kind, stage, action, config)
           values ($1, 'No orders', 'pattern', 'input', 'block', '{"pattern": "obey"}')`,
          [swarm.agentIds[0]],
        );
      },
      ({ swarmId }) =>
        stage.rows("update public.messages set content = 'obey me' where swarm_id = $1 and seq = 1", [swarmId]),
    );
    assert.deepEqual(
      [...has(before, "harmless"), ...has(after, "harmless", "obey", "hello")],
      [true, false, false, true],
    );
  });
});

describe("how much waits", () => {
  test("of one user is limited exactly, and the model goes on without waiting", async () => {
    const ownerId = await stage.newUser();
    const node = stage.node({ tools, script: callsThenTells([sleeps()]), maxWaitingRuns: 3 });
    const runIds: string[] = [];
    for (let number = 0; number < 8; number += 1) {
      const swarm = await stage.newSwarm({ agents: ["Ada"], ownerId });
      await assign(stage, swarm.agentIds[0] ?? "");
      runIds.push(await stage.ask(swarm));
    }
    await Promise.all(runIds.map((runId) => node.take(runId)));
    node.start();
    const statuses = async (): Promise<string[]> =>
      (await Promise.all(runIds.map((runId) => stage.run(runId)))).map(({ status }) => status).toSorted();
    const wanted = [...Array.from({ length: 5 }, () => "completed"), "waiting", "waiting", "waiting"];
    await until(async () => JSON.stringify(await statuses()) === JSON.stringify(wanted), "three of them wait");
    const [refused = ""] = await stage.rows<string>(
      `select m.content from public.messages m join public.runs r on r.id = m.run_id
       where r.user_id = $1 and r.status = 'completed' and m.sender_type = 'agent' limit 1`,
      [ownerId],
    );
    assert.match(JSON.stringify(refused), /WAIT_LIMIT_REACHED/);
    await node.stop();
  });

  test("without end for a person or the client is limited, too, and not what makes room by itself", async () => {
    const ownerId = await stage.newUser();
    const asking = async (kind: string, isEndless: boolean, maxWaitingRuns = 1): Promise<string> => {
      const swarm = await stage.newSwarm({ agents: ["Ada"], ownerId });
      const name = `ask_${swarm.swarmId.slice(-8)}`;
      await stage.newTool(swarm.agentIds[0] ?? "", name, { kind, requiresApproval: kind === "http" });
      const ttlMs = isEndless ? 0 : 60_000;
      const options = { tools, maxWaitingRuns, approvalTtlMs: ttlMs, clientToolTtlMs: ttlMs };
      const node = stage.node({ ...options, script: callsThenTells([{ name }]) });
      node.start();
      const runId = await stage.ask(swarm);
      await untilStatus(stage, runId, "requires_action", "completed");
      await node.stop();
      return runId;
    };
    const statusOf = async (runId: string): Promise<string> => (await stage.run(runId)).status;
    assert.equal(await statusOf(await asking("http", true)), "requires_action");
    for (const kind of ["http", "client"]) {
      const refused = await asking(kind, true);
      assert.equal(await statusOf(refused), "completed", kind);
      assert.match((await stage.texts(refused))[0]?.content ?? "", /WAIT_LIMIT_REACHED/);
      const [call] = await stage.rows("select status from public.tool_executions where run_id = $1", [refused]);
      assert.deepEqual(call, { status: "denied" });
    }
    assert.equal(await statusOf(await asking("client", false)), "requires_action");
    assert.equal(await statusOf(await asking("client", true, 3)), "requires_action");
  });

  test("a run that waits for days holds no budget of those days", async () => {
    const swarm = await newWaiter(stage, { budget: { max_tokens_per_day: 8_000 } });
    await stage.rows("update public.user_settings set daily_token_budget = 9000 where user_id = $1", [swarm.ownerId]);
    const { runId } = await openWait(stage, { swarm, steps: [[sleeps()]] });
    const left = async (): Promise<number | undefined> => {
      const [row] = await stage.rows<{ tokens: string }>(
        `select b.tokens from public.swarms s
         cross join lateral private.compute_remaining_budget(s, s.owner_id, null, true) as b where s.id = $1`,
        [swarm.swarmId],
      );
      return Number(row?.tokens);
    };
    assert.equal(await left(), 8_000 - 15);
    await stage.rows("update private.budget_reservations set created_at = now() - interval '1 day' where run_id = $1", [
      runId,
    ]);
    assert.equal(await left(), 8_000);
  });

  test("hostile times and names: the model is told, and nothing waits", async () => {
    const swarm = await newWaiter(stage);
    const inputs = [
      { name: "sleep", input: {} },
      { name: "sleep", input: { seconds: 1, until: "2999-01-01T00:00:00Z" } },
      { name: "sleep", input: { until: "2001-01-01T00:00:00Z" } },
      { name: "sleep", input: { until: "2999-01-01T00:00:00Z" } },
      { name: "sleep", input: { until: "tomorrow" } },
      { name: "sleep", input: { seconds: 0 } },
      { name: "sleep", input: { seconds: 366 * 86_400 + 1 } },
      { name: "sleep", input: { seconds: -5 } },
      { name: "wait_for_event", input: { name: "a b", seconds: 5 } },
      { name: "wait_for_event", input: { name: "", seconds: 5 } },
      { name: "wait_for_event", input: { name: "x".repeat(101), seconds: 5 } },
      { name: "wait_for_event", input: { name: "ok", seconds: 5, from: "everybody" } },
      { name: "wait_for_event", input: { name: "ok" } },
    ];
    const node = stage.node({ tools, script: callsThenTells(inputs) });
    const runId = await stage.ask(swarm);
    await node.take(runId);
    assert.equal((await stage.end(runId)).status, "completed");
    const rows = await stage.rows<{ status: string }>("select status from public.tool_executions where run_id = $1", [
      runId,
    ]);
    assert.deepEqual(new Set(rows.map(({ status }) => status)), new Set(["failed"]));
    assert.equal(rows.length, inputs.length);
  });

  test("without end: approvals and clients do not expire, and can still be answered", async () => {
    const swarm = await stage.newSwarm({ agents: ["Ada"] });
    await stage.newTool(swarm.agentIds[0] ?? "", "pay", { requiresApproval: true });
    const waiting = await openWait(stage, { swarm, steps: [[{ name: "pay" }]], approvalTtlMs: 0 });
    const { runId } = waiting;
    const [call] = await stage.rows<{ id: string; expires_at: null }>(
      "select id, expires_at from public.tool_executions where run_id = $1",
      [runId],
    );
    assert.equal(call?.expires_at, null);
    await sweepRuns(stage.pool, 100);
    assert.equal(await isOver(runId), false);
    await addMember(stage, swarm.swarmId, await stage.newUser());
    const decisions = [{ tool_execution_id: call?.id, approved: true }];
    const body = { run_id: runId, is_service: false, user_id: swarm.ownerId, decisions };
    await stage.rows("select private.decide_tool_executions($1)", [JSON.stringify(body)]);
    assert.equal(await goOn(stage, waiting), "completed all_replied");
  });
});
