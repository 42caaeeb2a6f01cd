import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import type { ModelCall, ModelEvent } from "../../../src/agents/providers/model-port.ts";
import {
  cancelRun,
  selectRunBody,
  submitToolResults,
  type ToolResult,
} from "../../../src/agents/respond/sql/run-control.ts";
import { checkToolInput, describeTool } from "../../../src/agents/tools/input/check-input.ts";
import { createSchemaCompiler } from "../../../src/agents/schemas/schema-compiler.ts";
import { findClientToolFault } from "../../../src/agents/tools/client/client-tools.ts";
import { codeOf } from "../support/respond-stage.ts";
import {
  calls,
  collect,
  lastRole,
  type NodeOptions,
  openRunStage,
  type RunStage,
  says,
  succeeded,
} from "../support/run-stage.ts";
import { until } from "../../support/until.ts";

let stage: RunStage;
const closers: (() => Promise<void>)[] = [];
before(async () => {
  stage = await openRunStage({ after: (close) => void closers.push(close) });
});
after(async () => {
  for (const close of closers.reverse()) await close();
});

const schemas = createSchemaCompiler({ maxKept: 10 });
const LOCATE = {
  name: "locate",
  description: "Returns the position of the user.",
  input_schema: {
    type: "object",
    properties: { precise: { type: "boolean" } },
    required: ["precise"],
    additionalProperties: false,
  },
};
const REQUEST = { client_tools: [LOCATE] };

/** Calls `locate` as often as `inputs` says, all at once, and then says what the tool results are. */
function locateScript(...inputs: readonly unknown[]): NonNullable<NodeOptions["script"]> {
  return (call: ModelCall): AsyncIterable<ModelEvent> =>
    lastRole(call) === "user"
      ? calls(call, ...inputs.map((input) => ({ name: "locate", input })))
      : says(call, call.messages.flatMap((each) => (each.role === "tool" ? [each.output] : [])).join(" | "));
}

const tools = {
  describe: describeTool,
  checkInput: (tool: Parameters<typeof checkToolInput>[1], text: string) => checkToolInput(schemas, tool, text),
};

interface Waiting {
  readonly runId: string;
  readonly swarm: Awaited<ReturnType<RunStage["newSwarm"]>>;
  readonly events: ReturnType<typeof collect>;
  readonly ids: readonly string[];
  submit(results: readonly ToolResult[], userId?: string): ReturnType<typeof submitToolResults>;
  /** Continues the run on a node that has not seen it before. */
  resume(): Promise<string>;
}

async function pause(
  options: NodeOptions & { readonly inputs?: readonly unknown[]; readonly request?: object } = {},
): Promise<Waiting> {
  const { inputs = [{ precise: true }], request = REQUEST, ...more } = options;
  const swarm = await stage.newSwarm({ agents: ["Ada"] });
  const script = options.script ?? locateScript(...inputs);
  const node = stage.node({ tools, ...more, script });
  const runId = await stage.ask(swarm, "Where am I?", request);
  const events = collect(node, runId);
  await node.take(runId);
  await until(async () => (await stage.run(runId)).status === "requires_action", "the run waits for the client");
  const rows = await stage.rows<{ id: string }>(
    "select id from public.tool_executions where run_id = $1 and status = 'pending_client' order by created_at, id",
    [runId],
  );
  return {
    runId,
    swarm,
    events,
    ids: rows.map(({ id }) => id),
    submit: (results, userId = swarm.ownerId) =>
      submitToolResults(stage.pool, runId, { role: "authenticated", userId }, results),
    async resume() {
      const node = stage.node({ tools, script });
      const isTaken = (): Promise<boolean> =>
        node.take(runId).then(
          () => true,
          () => false,
        );
      // The node that paused the run may still hold a lock for a moment.
      await until(isTaken, "another node takes the run");
      const { status, stop_reason: reason } = await stage.end(runId);
      return `${status} ${reason}`;
    },
  };
}

const contents = async (runId: string): Promise<unknown[]> => (await stage.texts(runId)).map(({ content }) => content);

describe("a tool that the client executes", () => {
  test("took no time when the clock was set back meanwhile", async () => {
    const { ids, runId, submit, resume } = await pause();
    await stage.rows("update public.tool_executions set started_at = now() + interval '1 hour' where run_id = $1", [
      runId,
    ]);
    await submit(ids.map((tool_execution_id) => ({ tool_execution_id, output: "here" })));
    assert.equal(await resume(), "completed all_replied");
    const [call] = await stage.rows("select duration_ms from public.tool_executions where run_id = $1", [runId]);
    assert.deepEqual(call, { duration_ms: 0 });
  });

  test("is offered with the tools of the version that the run names, also after the run was resumed", async () => {
    const offered: (readonly string[])[] = [];
    const script = (call: ModelCall): AsyncIterable<ModelEvent> => {
      offered.push(call.tools.map(({ name }) => name));
      return locateScript({ precise: true })(call);
    };
    const { swarm, ids, runId, submit, resume } = await pause({ script, request: { ...REQUEST, agent_version: 1 } });
    const [agentId] = swarm.agentIds;
    await stage.rows(
      "insert into public.agent_tools (agent_id, tool_id) select $1, id from public.tools where name = 'calculator'",
      [agentId],
    );
    await submit(ids.map((tool_execution_id) => ({ tool_execution_id, output: "here" })));
    assert.equal(await resume(), "completed all_replied");
    assert.deepEqual(offered.splice(0), [["locate"], ["locate"]]);

    const ask = async (request: object): Promise<unknown> => {
      const node = stage.node({
        tools,
        script: (call) => {
          offered.push(call.tools.map(({ name }) => name));
          return says(call, "done");
        },
      });
      const id = await stage.ask(swarm, "hello", request);
      await node.take(id);
      await stage.end(id);
      const [turn] = await stage.rows<{ agent_version: number }>(
        "select agent_version from public.run_turns where run_id = $1",
        [id],
      );
      return turn?.agent_version;
    };
    assert.deepEqual(
      [await ask({ agent_version: 1 }), await ask({}), await ask({ agent_version: 3 })],
      [1, 2, undefined],
    );
    assert.deepEqual(offered, [[], ["calculator"]]);
    const [turn] = await stage.rows("select agent_version from public.run_turns where run_id = $1", [runId]);
    assert.deepEqual(turn, { agent_version: 1 });
  });

  test("pauses the run until its result is submitted, and another node continues it", async () => {
    const { runId, swarm, events, ids, submit, resume } = await pause();
    const [id = ""] = ids;
    const started = events.find(({ type }) => type === "tool.client_call");
    const { expires_at: expiresAt, ...shown } = started?.data ?? {};
    assert.deepEqual(
      { ...shown, turn_id: null, agent_id: null },
      {
        run_id: runId,
        swarm_id: swarm.swarmId,
        tool_execution_id: id,
        turn_id: null,
        agent_id: null,
        tool_name: "locate",
        input: { precise: true },
        user_id: swarm.ownerId,
      },
    );
    const body = await selectRunBody(stage.pool, runId, { role: "authenticated", userId: swarm.ownerId });
    assert.deepEqual([body?.pending_approvals, body?.status], [[], "requires_action"]);
    assert.deepEqual(body?.pending_client_calls, [
      {
        tool_execution_id: id,
        tool_name: "locate",
        agent_id: swarm.agentIds[0],
        expires_at: expiresAt,
        input: { precise: true },
      },
    ]);
    const after = await submit([{ tool_execution_id: id, output: '{"city":"Berlin","at":1}' }]);
    assert.deepEqual([after.status, after.pending_client_calls], ["requires_action", []]);
    assert.equal(await resume(), "completed all_replied");
    assert.deepEqual(await contents(runId), ['{"city":"Berlin","at":1}'], "the model reads the text as it was sent");
    const [row] = await stage.rows<Record<string, unknown>>(
      `select x.status, x.decided_by, x.attempts, x.output_chars, x.truncated, x.duration_ms >= 0 as has_duration, x.tool_id, p.output
       from public.tool_executions x join public.tool_execution_payloads p on p.tool_execution_id = x.id where x.id = $1`,
      [id],
    );
    assert.deepEqual(row, {
      status: "succeeded",
      decided_by: swarm.ownerId,
      attempts: 1,
      output_chars: 24,
      truncated: false,
      has_duration: true,
      tool_id: null,
      output: { at: 1, city: "Berlin" },
    });
    const types = await stage.rows<{ type: string }>(
      "select type from public.run_events where run_id = $1 and type like 'tool.%' order by seq",
      [runId],
    );
    assert.deepEqual(
      types.map(({ type }) => type),
      ["tool.client_call", "tool.executed"],
    );
  });

  test("of an agent's owner gives the input to the starter of the run, and not to other members", async () => {
    const swarm = await stage.newSwarm({ agents: ["Ada"] });
    const [agentId = ""] = swarm.agentIds;
    const toolId = await stage.newTool(agentId, "locate", { kind: "client" });
    const [starter, member] = [await stage.newUser(), await stage.newUser()];
    for (const userId of [starter, member])
      await stage.sql.query(
        "insert into public.swarm_members (swarm_id, user_id, role, status) values ($1, $2, 'member', 'active')",
        [swarm.swarmId, userId],
      );
    const runId = await stage.ask({ ...swarm, ownerId: starter });
    const node = stage.node({ tools, script: locateScript({ precise: true }) });
    await node.take(runId);
    await until(async () => (await stage.run(runId)).status === "requires_action", "the run waits for the client");
    const shown = async (userId: string): Promise<unknown> => {
      const body = await selectRunBody(stage.pool, runId, { role: "authenticated", userId });
      const [call] = (body?.pending_client_calls ?? []) as { input?: unknown }[];
      return call?.input;
    };
    assert.deepEqual(
      [await shown(starter), await shown(swarm.ownerId), await shown(member)],
      [{ precise: true }, { precise: true }, undefined],
    );
    const [execution] = await stage.rows<{ id: string; tool_id: string }>(
      "select id, tool_id from public.tool_executions where run_id = $1",
      [runId],
    );
    assert.equal(execution?.tool_id, toolId);
    const submit = (userId: string): Promise<unknown> =>
      submitToolResults(stage.pool, runId, { role: "authenticated", userId }, [
        { tool_execution_id: execution?.id ?? "", output: "here" },
      ]);
    assert.equal(await codeOf(submit(member)), "FORBIDDEN");
    assert.equal(await codeOf(submit(swarm.ownerId)), "FORBIDDEN", "the owner of the agent did not start the run");
    assert.equal(await codeOf(submit(await stage.newUser())), "RUN_NOT_FOUND");
    await submit(starter);
    await stage.node({ tools, script: locateScript() }).take(runId);
    assert.equal((await stage.end(runId)).status, "completed");
  });

  test("takes each result once, and all results of a call or none", async () => {
    const { ids, submit, runId, resume } = await pause({ inputs: [{ precise: true }, { precise: false }] });
    const [one = "", two = ""] = ids;
    const result = (id: string): ToolResult => ({ tool_execution_id: id, output: `of ${id}` });
    assert.equal(await codeOf(submit([result(one), result(randomUUID())])), "VALIDATION_ERROR");
    assert.equal(await codeOf(submit([result(one), result(one)])), "TOOL_RESULT_SUBMITTED");
    const body = await submit([result(two)]);
    assert.deepEqual(
      (body.pending_client_calls as { tool_execution_id: string }[]).map((call) => call.tool_execution_id),
      [one],
      "nothing of the rejected calls is stored",
    );
    assert.equal(await codeOf(submit([result(two)])), "TOOL_RESULT_SUBMITTED");
    await assert.rejects(stage.node({ tools }).take(runId), /could not be started/, "one call still waits");
    await submit([{ tool_execution_id: one, error: "no permission" }]);
    assert.equal(await resume(), "completed all_replied");
    const [text = ""] = (await contents(runId)) as string[];
    assert.ok(text.includes('{"error":{"code":"CLIENT_TOOL_FAILED","message":"no permission"}}'), text);
    assert.ok(text.includes(`of ${two}`), text);
    assert.equal(await codeOf(submit([result(one)])), "TOOL_RESULT_SUBMITTED", "the run has ended");
    const rows = await stage.rows<{ status: string }>(
      "select status from public.tool_executions where run_id = $1 order by status",
      [runId],
    );
    assert.deepEqual(
      rows.map(({ status }) => status),
      ["failed", "succeeded"],
    );
  });

  for (const { words, end } of [
    { words: true, end: "completed all_replied" },
    { words: false, end: "failed approval_expired" },
  ])
    test(`expires: the model gets an error, and the run is ${end}`, async () => {
      const script: NonNullable<NodeOptions["script"]> = (call) =>
        lastRole(call) === "tool" && !words ? says(call, "") : locateScript({ precise: true })(call);
      const { runId, ids, submit, resume } = await pause({ script });
      await stage.sql.query("update public.tool_executions set expires_at = now() where id = $1", [ids[0]]);
      assert.equal(await codeOf(submit([{ tool_execution_id: ids[0] ?? "", output: "late" }])), "CLIENT_TOOL_EXPIRED");
      await until(async () => {
        await stage.rows("select private.sweep_runs(100)");
        const rows = await stage.rows("select from public.tool_executions where id = $1 and status = 'timed_out'", ids);
        return rows.length === 1;
      }, "the call expires");
      assert.equal(await resume(), end);
      if (words)
        assert.deepEqual(await contents(runId), [
          '{"error":{"code":"CLIENT_TOOL_EXPIRED","message":"The client submitted no result in time"}}',
        ]);
    });

  test("is cancelled with its run", async () => {
    const { runId, ids, submit, swarm } = await pause();
    const body = await cancelRun(stage.pool, runId, { role: "authenticated", userId: swarm.ownerId });
    assert.deepEqual([body.status, body.pending_client_calls], ["cancelled", null]);
    const [row] = await stage.rows<{ status: string }>("select status from public.tool_executions where id = $1", ids);
    assert.equal(row?.status, "cancelled");
    assert.equal(await codeOf(submit([{ tool_execution_id: ids[0] ?? "", output: "x" }])), "TOOL_RESULT_SUBMITTED");
  });

  test("is not called with an input that its schema rejects", async () => {
    const swarm = await stage.newSwarm({ agents: ["Ada"] });
    const runId = await stage.ask(swarm, "Where am I?", REQUEST);
    await stage.node({ tools, script: locateScript({ precise: "very" }) }).take(runId);
    assert.equal((await stage.end(runId)).status, "completed");
    const [text = ""] = (await contents(runId)) as string[];
    assert.ok(text.includes("INVALID_TOOL_INPUT"), text);
  });

  test("has an output of limited length", async () => {
    const { ids, submit, resume } = await pause();
    await submit([{ tool_execution_id: ids[0] ?? "", output: "x".repeat(100_000) }]);
    assert.equal(await resume(), "completed all_replied");
    const [row] = await stage.rows<Record<string, unknown>>(
      `select x.output_chars, x.truncated, length(p.output #>> '{}') as kept
       from public.tool_executions x join public.tool_execution_payloads p on p.tool_execution_id = x.id where x.id = $1`,
      ids,
    );
    assert.deepEqual(row, { output_chars: 100_000, truncated: true, kept: 16_000 });
  });

  test("counts as a tool call of the starter", async () => {
    const swarm = await stage.newSwarm({ agents: ["Ada"] });
    const runId = await stage.ask(swarm, "Where am I?", REQUEST);
    const charge = { answer: async () => true, tool: async () => false };
    await stage.node({ tools, charge, script: locateScript({ precise: true }) }).take(runId);
    assert.equal((await stage.end(runId)).status, "completed");
    const [text = ""] = (await contents(runId)) as string[];
    assert.ok(text.includes("RATE_LIMITED"), text);
  });

  test("does not replace a tool of the agent that has the same name", async () => {
    const swarm = await stage.newSwarm({ agents: ["Ada"] });
    await stage.newTool(swarm.agentIds[0] ?? "", "locate");
    const runId = await stage.ask(swarm, "Where am I?", REQUEST);
    await stage.node({ script: locateScript({ precise: true }) }).take(runId);
    assert.equal((await stage.end(runId)).status, "completed");
    assert.deepEqual(await contents(runId), ['locate says {"precise":true}']);
  });
});

test("tools of a call are rejected with the place of the first fault", () => {
  const cases: [object[], string, RegExp][] = [
    [[LOCATE, LOCATE], ".1.name", /another tool/],
    [[{ ...LOCATE, input_schema: { type: "array" } }], ".0.input_schema.type", /"object"/],
    [[{ ...LOCATE, input_schema: { type: "object", properties: 3 } }], ".0.input_schema", /not a JSON Schema/],
    [[{ ...LOCATE, description: "x".repeat(70_000) }], "", /at most 65536 bytes/],
  ];
  for (const [given, path, message] of cases) {
    const fault = findClientToolFault(schemas, given as Parameters<typeof findClientToolFault>[1]);
    assert.equal(fault?.path, path);
    assert.match(fault?.message ?? "", message);
  }
  assert.equal(findClientToolFault(schemas, [LOCATE]), null);
});

test("a turn executes a limited number of tool calls at a time", async () => {
  const swarm = await stage.newSwarm({ agents: ["Ada"] });
  await stage.newTool(swarm.agentIds[0] ?? "", "probe");
  const running = { now: 0, most: 0, all: 0 };
  const gates: (() => void)[] = [];
  const node = stage.node({
    toolConcurrency: 2,
    tools: {
      run: async () => {
        running.now += 1;
        running.all += 1;
        running.most = Math.max(running.most, running.now);
        await new Promise<void>((resolve) => gates.push(resolve));
        running.now -= 1;
        return succeeded("ok", "");
      },
    },
    script: (call) =>
      lastRole(call) === "user"
        ? calls(call, ...[1, 2, 3, 4, 5].map((n) => ({ name: "probe", input: { n } })))
        : says(call, "done"),
  });
  const runId = await stage.ask(swarm);
  await node.take(runId);
  for (let released = 0; released < 5; released += 1) {
    await until(() => gates.length > 0, "a call runs");
    gates.shift()?.();
  }
  assert.equal((await stage.end(runId)).status, "completed");
  assert.deepEqual([running.most, running.all], [2, 5]);
});
