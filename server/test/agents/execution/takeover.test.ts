import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { ModelCall, ModelEvent } from "../../../src/agents/providers/model-port.ts";
import type { ToolOutcome, Tools } from "../../../src/agents/tools/tool-port.ts";
import { createEventReader } from "../../../src/agents/streams/event-reader.ts";
import { holdSession } from "../../../src/agents/execution/sql/node-sessions.ts";
import { createStreamHub, type RunEvent, type StreamHub } from "../../../src/agents/streams/stream-hub.ts";
import { Subscriber } from "../../../src/agents/streams/subscriber.ts";
import { until } from "../../support/until.ts";
import {
  calls,
  collect,
  lastRole,
  openRunStage,
  type RunNode,
  type RunStage,
  says,
  succeeded,
} from "../support/run-stage.ts";

const closers: (() => Promise<void>)[] = [];
/** When it resolves, nodes that were presumed dead continue and find that they have lost their runs. */
const revival = Promise.withResolvers<void>();
let stage: RunStage;

before(async () => {
  stage = await openRunStage({ after: (close) => void closers.push(close) });
});
after(async () => {
  revival.resolve();
  for (const close of closers.reverse()) await close();
});

const DONE = succeeded("done");

async function expire(runId: string): Promise<void> {
  await stage.rows("update private.run_leases set expires_at = now() - interval '1 second' where run_id = $1", [runId]);
}

/** Writes the text and then nothing, like a node that dies. */
async function* dies(call: ModelCall, ...deltas: readonly string[]): AsyncGenerator<ModelEvent> {
  yield { type: "start", framework: call.framework, model: "scripted", attempt: 1 };
  for (const delta of deltas) yield { type: "text", delta };
  await revival.promise;
}

async function storedTypes(runId: string): Promise<string[]> {
  const rows = await stage.rows<{ type: string }>("select type from public.run_events where run_id = $1 order by seq", [
    runId,
  ]);
  return rows.map(({ type }) => type);
}

async function hasText(runId: string, text: string): Promise<boolean> {
  const rows = await stage.rows<{ text: string }>(
    "select private.read_turn_text(run_id, id, null) as text from public.run_turns where run_id = $1",
    [runId],
  );
  return rows.some((row) => row.text.includes(text));
}

const contents = async (runId: string): Promise<(string | null)[]> =>
  (await stage.texts(runId)).map(({ content }) => content);

async function outcomeOf(runId: string): Promise<string> {
  const { status, stop_reason } = await stage.end(runId);
  return `${status} ${stop_reason}`;
}

/** A node with a run, without workers: it renews its lease only if the test does. */
async function startSpeaking({ hasSession, isRenewed }: { readonly hasSession: boolean; readonly isRenewed: boolean }) {
  const runId = await stage.ask(await stage.newSwarm({ agents: ["Ada"] }));
  const node = stage.node({ script: (call) => dies(call, "I was go"), executor: { leaseMs: 600_000 } });
  await node.take(runId);
  await until(() => hasText(runId, "I was go"), "the text is stored");
  const { owner } = node.executor;
  const session = await stage.connect();
  if (hasSession) await holdSession(session, owner);
  const renew = (): void =>
    void session.query("select private.renew_run_leases(array[$1::uuid], array[1], 600000)", [runId]).catch(() => {});
  const timer = isRenewed ? setInterval(renew, 500) : null;
  return {
    runId,
    owner,
    end: async () => {
      if (timer !== null) clearInterval(timer);
      await stage.rows("delete from public.runs where id = $1", [runId]);
    },
  };
}

/** The text of a turn as a reader builds it. */
function readText(node: {
  readonly events: readonly { type: string; data: Readonly<Record<string, unknown>> }[];
}): string {
  let text = "";
  for (const { type, data } of node.events) {
    if (type === "message.delta") text += String(data["delta"]);
    if (type === "turn.restarted") text = String(data["text"]);
  }
  return text;
}

describe("a run whose node dies", () => {
  test("is taken over at once by a node that is told so, long before its lease or the next poll", async () => {
    const swarm = await stage.newSwarm({ agents: ["Ada"] });
    const runId = await stage.ask(swarm);
    const dead = stage.node({ script: (call) => dies(call, "I was go") });
    await dead.take(runId);
    await until(() => hasText(runId, "I was go"), "the text is stored");
    const hourMs = 3_600_000;
    const times = { claimPollMs: hourMs, watchMs: 1_000, sweepMs: hourMs, pruneMs: hourMs };
    const next = stage.node({ script: (call) => says(call, "here I am"), executor: { times } });
    next.start();
    await next.releaseOwner(dead.executor.owner);
    assert.equal(await outcomeOf(runId), "completed all_replied");
    assert.deepEqual(await contents(runId), ["here I am"]);
  });

  test("is taken over long before its lease expires, because its session has ended; nodes that live keep their runs", async () => {
    const alive = await startSpeaking({ hasSession: true, isRenewed: false });
    const reconnecting = await startSpeaking({ hasSession: false, isRenewed: true });
    const dead = await startSpeaking({ hasSession: false, isRenewed: false });
    const next = stage.node({ script: (call) => says(call, "here I am"), executor: { times: { sessionMs: 100 } } });
    next.start();
    assert.equal(await outcomeOf(dead.runId), "completed all_replied");
    assert.deepEqual(await contents(dead.runId), ["here I am"]);
    assert.deepEqual(
      next.notes.filter(({ name }) => name === "agents.node_lost"),
      [{ name: "agents.node_lost", fields: { node: dead.owner } }],
    );
    const owners = await stage.rows("select owner from private.run_leases where run_id = any($1) order by owner", [
      [alive.runId, reconnecting.runId],
    ]);
    assert.deepEqual(
      owners,
      [alive.owner, reconnecting.owner].toSorted().map((owner) => ({ owner })),
    );
    await next.stop();
    for (const { end } of [alive, reconnecting, dead]) await end();
  });

  test("in an answer begins the turn again: readers replace its text, and there is one message", async () => {
    const swarm = await stage.newSwarm({ agents: ["Ada"] });
    const runId = await stage.ask(swarm);
    const dead = stage.node({ script: (call) => dies(call, "I was go", "ing to") });
    const shown = collect(dead, runId);
    await dead.take(runId);
    await until(() => hasText(runId, "going to"), "the text is stored");
    await expire(runId);
    const next = stage.node({ script: (call) => says(call, "here I am") });
    const events = collect(next, runId);
    await next.take(runId);
    assert.equal(await outcomeOf(runId), "completed all_replied");
    assert.deepEqual(await contents(runId), ["here I am"]);
    assert.equal(readText({ events: [...shown, ...events] }), "here I am");
    const ids = [...shown, ...events].map(({ seq }) => seq);
    assert.deepEqual(
      ids,
      [...new Set(ids)].toSorted((one, other) => one - other),
      "no id comes twice",
    );
    const types = await storedTypes(runId);
    assert.deepEqual(
      types.filter((type) => type.startsWith("turn.") || type === "run.started"),
      ["run.started", "turn.started", "run.started", "turn.restarted", "turn.completed"],
    );
    // The lost call is estimated; the usage of the other one is 10 and 5.
    const [used] = await stage.rows<{ input: number; output: number; estimated: boolean; calls: number }>(
      `select t.input_tokens::int as input, t.output_tokens::int as output, t.estimated,
         (select count(*)::int from public.model_calls c where c.turn_id = t.id) as calls
       from public.run_turns t where t.run_id = $1`,
      [runId],
    );
    assert.ok(used !== undefined && used.input > 10 && used.output > 5 && used.estimated && used.calls === 2);
    const [paid] = await stage.rows<{ input: number }>(
      "select sum(input_tokens)::int as input from public.usage_records where run_id = $1",
      [runId],
    );
    assert.equal(paid?.input, used.input);
  });

  test("has the images of the call on the next node, too", async () => {
    const runId = await stage.ask(await stage.newSwarm({ agents: ["Ada"] }), "What is this?", { image_count: 1 });
    await stage.rows(
      `insert into private.run_images (run_id, position, name, media_type, data)
       values ($1, 0, 'image 1', 'image/png', $2)`,
      [runId, Buffer.alloc(100, 1)],
    );
    const seen: unknown[] = [];
    const see = (call: ModelCall): void => {
      const last = call.messages.at(-1);
      seen.push(last?.role === "user" ? last.images : null);
    };
    const dead = stage.node({
      script: (call) => {
        see(call);
        return dies(call, "I was go");
      },
    });
    await dead.take(runId);
    await until(() => hasText(runId, "I was go"), "the text is stored");
    await expire(runId);
    const next = stage.node({
      script: (call) => {
        see(call);
        return says(call, "here I am");
      },
    });
    await next.take(runId);
    assert.equal(await outcomeOf(runId), "completed all_replied");
    const images = [{ name: "image 1", mediaType: "image/png", data: Buffer.alloc(100, 1).toString("base64") }];
    assert.deepEqual(seen, [images, images]);
  });

  test("between turns continues with the next agent", async () => {
    const swarm = await stage.newSwarm({ agents: ["Ada", "Bo"] });
    const runId = await stage.ask(swarm);
    const dead = stage.node({
      script: (call) => (call.agent.name === "Ada" ? says(call, "I am Ada") : dies(call)),
    });
    await dead.take(runId);
    await until(async () => (await contents(runId)).length === 1, "Ada has answered");
    await until(
      async () => (await storedTypes(runId)).filter((type) => type === "turn.started").length === 2,
      "Bo began",
    );
    await expire(runId);
    const asked: string[] = [];
    const next = stage.node({
      script: (call) => {
        asked.push(call.agent.name);
        return says(call, `I am ${call.agent.name}`);
      },
    });
    await next.take(runId);
    assert.equal(await outcomeOf(runId), "completed all_replied");
    assert.deepEqual([asked, await contents(runId)], [["Bo"], ["I am Ada", "I am Bo"]]);
  });

  for (const isIdempotent of [true, false])
    test(`in a call of a tool that is ${isIdempotent ? "" : "not "}idempotent ${isIdempotent ? "repeats it" : "tells the model that its outcome is unknown"}`, async () => {
      const swarm = await stage.newSwarm({ agents: ["Ada"] });
      await stage.newTool(swarm.agentIds[0] ?? "", "first");
      const toolId = await stage.newTool(swarm.agentIds[0] ?? "", "second");
      await stage.rows("update public.tools set idempotent = $2 where id = $1", [toolId, isIdempotent]);
      const runId = await stage.ask(swarm);
      const run: string[] = [];
      const dead = stage.node({
        script: (call) =>
          lastRole(call) === "user"
            ? withText(call, "Let me see.", calls(call, { name: "first" }, { name: "second" }))
            : dies(call),
        tools: {
          run: async ({ name }) => {
            run.push(`dead ${name}`);
            if (name === "second") await revival.promise;
            return DONE;
          },
        },
      });
      await dead.take(runId);
      const ended = "select 1 from public.tool_executions where run_id = $1 and status = 'succeeded'";
      await until(async () => (await stage.rows(ended, [runId])).length === 1, "the first tool has ended");
      assert.deepEqual(run, ["dead first", "dead second"]);
      await expire(runId);
      const results: unknown[] = [];
      const next = stage.node({
        script: (call) => {
          for (const message of call.messages)
            if (message.role === "tool") results.push([message.toolName, message.output, message.isError]);
          return says(call, "That is it.");
        },
        tools: {
          run: async ({ name }) => {
            run.push(`next ${name}`);
            return DONE;
          },
        },
      });
      const events = collect(next, runId);
      await next.take(runId);
      assert.equal(await outcomeOf(runId), "completed all_replied");
      assert.deepEqual(run.slice(2), isIdempotent ? ["next second"] : []);
      const message = "The call was interrupted. It is not known whether it took effect.";
      const unknown = JSON.stringify({ error: { code: "TOOL_OUTCOME_UNKNOWN", message } });
      assert.deepEqual(results, [
        ["first", "done", false],
        isIdempotent ? ["second", "done", false] : ["second", unknown, true],
      ]);
      // No text was being written, so none is replaced.
      assert.ok(!events.some(({ type }) => type === "turn.restarted"));
      assert.deepEqual(await contents(runId), ["Let me see.\n\nThat is it."]);
      const executions = await stage.rows<{ tool_name: string; status: string }>(
        "select tool_name, status from public.tool_executions where run_id = $1 order by tool_name",
        [runId],
      );
      assert.deepEqual(
        executions.map(({ tool_name, status }) => `${tool_name} ${status}`),
        ["first succeeded", `second ${isIdempotent ? "succeeded" : "failed"}`],
      );
    });

  test("by a stop that waits for nothing records no call in progress as cancelled, and repeats it", async () => {
    const script = (call: ModelCall): AsyncGenerator<ModelEvent> =>
      lastRole(call) === "user" ? calls(call, { name: "look_up" }) : says(call, "done");
    const error = { code: "TOOL_CANCELLED", message: "The call was cancelled.", retryable: false };
    const stopped = stage.node({
      script,
      executor: { stopTimeoutMs: 0 },
      tools: {
        run: async (_tool, _input, { signal }) => {
          await new Promise((resolve) => signal.addEventListener("abort", resolve));
          return { status: "cancelled", error, attempts: 1, durationMs: 1 };
        },
      },
    });
    const runIds: string[] = [];
    for (let run = 0; run < 10; run += 1) {
      const swarm = await stage.newSwarm({ agents: ["Ada"] });
      const toolId = await stage.newTool(swarm.agentIds[0] ?? "", "look_up");
      await stage.rows("update public.tools set idempotent = true where id = $1", [toolId]);
      runIds.push(await stage.ask(swarm));
    }
    stopped.start();
    const calling = "select 1 from public.tool_executions where run_id = any($1) and status = 'running'";
    await until(async () => (await stage.rows(calling, [runIds])).length === 10, "all tools run");
    await stopped.stop();
    const next = stage.node({ script });
    next.start();
    for (const runId of runIds) assert.equal(await outcomeOf(runId), "completed all_replied");
    const statuses = "select distinct status from public.tool_executions where run_id = any($1)";
    assert.deepEqual(await stage.rows(statuses, [runIds]), [{ status: "succeeded" }]);
  });

  test("in the answer after a tool call keeps the text before the call and does not repeat the call", async () => {
    const swarm = await stage.newSwarm({ agents: ["Ada"] });
    await stage.newTool(swarm.agentIds[0] ?? "", "look_up");
    const runId = await stage.ask(swarm);
    let count = 0;
    const tools: Partial<Tools> = {
      run: async () => {
        count += 1;
        return DONE;
      },
    };
    const script = (call: ModelCall, rest: AsyncGenerator<ModelEvent>): AsyncGenerator<ModelEvent> =>
      lastRole(call) === "user" ? withText(call, "Wait.", calls(call, { name: "look_up" })) : rest;
    const dead = stage.node({ script: (call) => script(call, dies(call, "It is pro")), tools });
    const shown = collect(dead, runId);
    await dead.take(runId);
    await until(() => hasText(runId, "It is pro"), "the second text is stored");
    await expire(runId);
    const next = stage.node({ script: (call) => script(call, says(call, "It is done.")), tools });
    const events = collect(next, runId);
    await next.take(runId);
    assert.equal(await outcomeOf(runId), "completed all_replied");
    assert.deepEqual([count, await contents(runId)], [1, ["Wait.\n\nIt is done."]]);
    assert.equal(readText({ events: [...shown, ...events] }), "Wait.\n\nIt is done.");
    assert.equal(events.find(({ type }) => type === "turn.restarted")?.data["text"], "Wait.");
  });

  test("while one agent asks another continues both turns", async () => {
    const swarm = await stage.newSwarm({ agents: ["Chief", "Bo"], strategy: "supervisor" });
    await stage.newTool(swarm.agentIds[1] ?? "", "look_up");
    const runId = await stage.ask(swarm);
    const script = (call: ModelCall, last: AsyncGenerator<ModelEvent>): AsyncGenerator<ModelEvent> => {
      if (call.agent.name === "Bo") return lastRole(call) === "tool" ? last : calls(call, { name: "look_up" });
      if (lastRole(call) === "tool") return says(call, `Bo says: ${String(call.messages.at(-1)?.["output" as never])}`);
      return calls(call, { name: call.tools[0]?.name ?? "", input: { message: "what is it?" } });
    };
    const dead = stage.node({ script: (call) => script(call, dies(call, "fo")) });
    await dead.take(runId);
    await until(() => hasText(runId, "fo"), "Bo writes");
    await expire(runId);
    const next = stage.node({ script: (call) => script(call, says(call, "forty-two")) });
    await next.take(runId);
    assert.equal(await outcomeOf(runId), "completed all_replied");
    assert.deepEqual(await contents(runId), ["forty-two", "Bo says: forty-two"]);
    const turns = await stage.rows("select 1 from public.run_turns where run_id = $1", [runId]);
    assert.equal(turns.length, 2);
  });

  test("is taken over twice, then ends as worker_lost with the text of its last try", async () => {
    const swarm = await stage.newSwarm({ agents: ["Ada"] });
    const runId = await stage.ask(swarm);
    for (const text of ["one", "two", "three"]) {
      const node = stage.node({ script: (call) => dies(call, text) });
      await node.take(runId);
      await until(() => hasText(runId, text), `"${text}" is stored`);
      await expire(runId);
    }
    await assert.rejects(stage.node({}).take(runId), /could not be started/);
    await stage.rows("select private.sweep_runs(10)");
    assert.equal(await outcomeOf(runId), "partial worker_lost");
    assert.deepEqual(await contents(runId), ["three"]);
  });

  test("and that was cancelled ends as cancelled, with its text", async () => {
    const swarm = await stage.newSwarm({ agents: ["Ada"] });
    const runId = await stage.ask(swarm);
    const dead = stage.node({ script: (call) => dies(call, "as I said") });
    await dead.take(runId);
    await until(() => hasText(runId, "as I said"), "the text is stored");
    await stage.rows("select private.request_cancel($1, 'cancelled')", [runId]);
    await expire(runId);
    await assert.rejects(stage.node({}).take(runId), /could not be started/);
    await stage.rows("select private.sweep_runs(10)");
    assert.equal(await outcomeOf(runId), "cancelled cancelled");
    assert.deepEqual(await contents(runId), ["as I said"]);
  });

  test("counts the lost calls against its budget", async () => {
    const swarm = await stage.newSwarm({ agents: ["Ada"], settings: { budget: { max_tokens: 100_000 } } });
    const runId = await stage.ask(swarm);
    const dead = stage.node({ script: (call) => dies(call, "four words of text") });
    await dead.take(runId);
    await until(() => hasText(runId, "four words"), "the text is stored");
    await expire(runId);
    const seen = Promise.withResolvers<void>();
    const next = stage.node({
      script: async function* (call) {
        await seen.promise;
        yield* says(call, "done");
      },
    });
    await next.take(runId);
    const reserved = "select usage from private.budget_reservations where run_id = $1 order by usage is null";
    await until(async () => {
      const rows = await stage.rows<{ usage: unknown }>(reserved, [runId]);
      return rows.length === 2 && rows[0]?.usage !== null;
    }, "the lost call is settled while the other one is in progress");
    seen.resolve();
    assert.equal(await outcomeOf(runId), "completed all_replied");
    const [used] = await stage.rows<{ input: number; output: number }>(
      "select sum(input_tokens)::int as input, sum(output_tokens)::int as output from public.usage_records where run_id = $1",
      [runId],
    );
    assert.ok(used !== undefined && used.input > 10 && used.output > 5);
    assert.deepEqual(await stage.rows(reserved, [runId]), []);
  });

  test("before it waits for an approval still asks for it, and does not repeat the other call", async () => {
    const swarm = await stage.newSwarm({ agents: ["Ada"] });
    await stage.newTool(swarm.agentIds[0] ?? "", "careful", { requiresApproval: true });
    await stage.newTool(swarm.agentIds[0] ?? "", "slow");
    const runId = await stage.ask(swarm);
    const script = (call: ModelCall): AsyncGenerator<ModelEvent> =>
      lastRole(call) === "user" ? calls(call, { name: "careful" }, { name: "slow" }) : says(call, "done");
    const hang = async (): Promise<ToolOutcome> => {
      await revival.promise;
      return DONE;
    };
    await stage.node({ script, tools: { run: hang } }).take(runId);
    const started = "select 1 from public.tool_executions where run_id = $1 and status = 'running'";
    await until(async () => (await stage.rows(started, [runId])).length === 1, "the slow tool runs");
    await expire(runId);
    await stage.node({ script }).take(runId);
    await until(async () => (await stage.run(runId)).status === "requires_action", "the run waits");
    await stage.rows(
      "update public.tool_executions set status = 'running' where run_id = $1 and status = 'pending_approval'",
      [runId],
    );
    await stage.node({ script }).take(runId);
    assert.equal(await outcomeOf(runId), "completed all_replied");
    const executions = await stage.rows<{ tool_name: string; status: string }>(
      "select tool_name, status from public.tool_executions where run_id = $1 order by tool_name",
      [runId],
    );
    assert.deepEqual(
      executions.map(({ tool_name, status }) => `${tool_name} ${status}`),
      ["careful succeeded", "slow failed"],
    );
  });
});

test("a reader that has text which was never stored gets the text again after the takeover, with higher ids", async () => {
  const swarm = await stage.newSwarm({ agents: ["Ada"] });
  const runId = await stage.ask(swarm);
  const dead = stage.node({ script: (call) => dies(call, "stored") });
  const shown = collect(dead, runId);
  await dead.take(runId);
  await until(() => hasText(runId, "stored"), "the text is stored");
  // Ids that the lost node has shown, but not stored.
  const afterSeq = (shown.at(-1)?.seq ?? 0) + 40;
  const reader = openReader(createStreamHub(), swarm, { runId, afterSeq });
  await expire(runId);
  await stage.node({ script: (call) => says(call, "anew") }).take(runId);
  const events = await reader.readToEnd();
  assert.deepEqual(
    [events[0]?.type, events[0]?.data["is_resumed"], events[1]?.type],
    ["run.started", true, "turn.restarted"],
  );
  assert.equal(readText({ events }), "anew");
  assert.ok(
    events.every(({ seq }, at) => seq > (events[at - 1]?.seq ?? afterSeq)),
    "ids continue above those that were shown",
  );
});

test("a stream that lives through a takeover by its own node learns that the run was resumed", async () => {
  const swarm = await stage.newSwarm({ agents: ["Ada"] });
  const runId = await stage.ask(swarm);
  let count = 0;
  const node = stage.node({
    script: (call) => {
      count += 1;
      return count === 1 ? dies(call, "I was go") : says(call, "here I am");
    },
  });
  const reader = openReader(node.streamHub, swarm, { runId, afterSeq: 0 });
  await node.take(runId);
  await until(() => hasText(runId, "I was go"), "the text is stored");
  await reader.readUntil("message.delta");
  await expire(runId);
  await node.take(runId);
  const events = await reader.readToEnd();
  assert.equal(readText({ events }), "here I am");
  assert.deepEqual(
    events
      .filter(({ type }) => type === "run.started" || type === "turn.restarted")
      .map(({ type, data }) => [type, data["is_resumed"]]),
    [
      ["run.started", false],
      ["run.started", true],
      ["turn.restarted", undefined],
    ],
  );
});

/** Reads a run as a stream of the node with this hub does. */
function openReader(
  streamHub: StreamHub,
  { ownerId }: { readonly ownerId: string },
  position: { readonly runId: string; readonly afterSeq: number },
) {
  const subscriber = new Subscriber({
    ...position,
    viewer: { userId: ownerId, isManager: true, ownAgentIds: [] },
    isFresh: false,
    streamHub,
    reader: createEventReader(stage.pool),
  });
  const events: RunEvent[] = [];
  const readUntil = (last: string): Promise<void> =>
    until(async () => {
      const step = await subscriber.next(1_000);
      if (step.kind === "events") events.push(...step.events);
      return events.some(({ type }) => type === last);
    }, `the reader has ${last}`);
  return {
    readUntil,
    async readToEnd(): Promise<readonly RunEvent[]> {
      await readUntil("run.completed");
      subscriber.close();
      return events;
    },
  };
}

describe("a node whose process was paused", () => {
  test("shows no text and calls no tool after its lease, and another node continues the run", async () => {
    const swarm = await stage.newSwarm({ agents: ["Ada"] });
    await stage.newTool(swarm.agentIds[0] ?? "", "send");
    const runId = await stage.ask(swarm);
    const woken = Promise.withResolvers<void>();
    let isBack = false;
    let count = 0;
    const tools: Partial<Tools> = {
      run: async () => {
        count += 1;
        return DONE;
      },
    };
    // Without its workers it renews no lease.
    const paused: RunNode = stage.node({
      executor: { leaseMs: 300 },
      tools,
      script: async function* (call) {
        yield { type: "start", framework: call.framework, model: "scripted", attempt: 1 };
        yield { type: "text", delta: "before" };
        await woken.promise;
        isBack = true;
        yield { type: "text", delta: " after" };
        yield* calls(call, { name: "send" });
      },
    });
    const shown = collect(paused, runId);
    await paused.take(runId);
    await until(() => hasText(runId, "before"), "the text is stored");
    const next = stage.node({ script: (call) => says(call, "mine"), tools, executor: { times: { claimPollMs: 50 } } });
    next.start();
    assert.equal(await outcomeOf(runId), "completed all_replied");
    const countBefore = shown.length;
    woken.resolve();
    await until(() => isBack && !paused.streamHub.isHere(runId), "the paused node has noticed");
    assert.deepEqual([shown.length, count, await contents(runId)], [countBefore, 0, ["mine"]]);
    await next.stop();
  });

  test("does not hold a run for longer because it learned late of its lease", async () => {
    const runId = await stage.ask(await stage.newSwarm({ agents: ["Ada"] }));
    const leaseMs = 600;
    const ended = Promise.withResolvers<void>();
    const late = stage.node({
      executor: { leaseMs },
      script: async function* (call) {
        yield { type: "start", framework: call.framework, model: "scripted", attempt: 1 };
        yield { type: "text", delta: "before" };
        await ended.promise;
        yield { type: "text", delta: " after" };
      },
    });
    const shown = collect(late, runId);
    await late.take(runId, () => sleep((leaseMs * 2) / 3));
    const next = stage.node({ script: (call) => says(call, "mine"), executor: { times: { claimPollMs: 50 } } });
    next.start();
    assert.equal(await outcomeOf(runId), "completed all_replied");
    ended.resolve();
    await until(() => !late.streamHub.isHere(runId), "the late node has noticed");
    assert.doesNotMatch(readText({ events: shown }), /after/);
    assert.deepEqual(await contents(runId), ["mine"]);
    await next.stop();
  });
});

async function* withText(call: ModelCall, text: string, rest: AsyncGenerator<ModelEvent>): AsyncGenerator<ModelEvent> {
  yield { type: "start", framework: call.framework, model: "scripted", attempt: 1 };
  yield { type: "text", delta: text };
  for await (const event of rest) if (event.type !== "start") yield event;
}
