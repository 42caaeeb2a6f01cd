import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { RUN_STOP_REASONS } from "@swarmbase/sdk";
import { ModelError } from "../../../src/errors/index.ts";
import type { ModelCall, ModelEvent, ModelFinish } from "../../../src/agents/providers/model-port.ts";
import {
  calls,
  collect,
  hangs,
  lastRole,
  type NewSwarm,
  type NodeOptions,
  openRunStage,
  type RunStage,
  says,
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

async function* fails(call: ModelCall, error: Error, ...deltas: readonly string[]): AsyncGenerator<ModelEvent> {
  yield { type: "start", framework: call.framework, model: "scripted", attempt: 3 };
  for (const delta of deltas) yield { type: "text", delta };
  throw error;
}
async function* finishes(call: ModelCall, reason: ModelFinish): AsyncGenerator<ModelEvent> {
  yield { type: "start", framework: call.framework, model: "scripted", attempt: 1 };
  yield {
    type: "finish",
    reason,
    usage: { inputTokens: 1, cachedInputTokens: 0, outputTokens: 0, reasoningTokens: 0, isEstimated: false },
  };
}
const overloaded = (): ModelError =>
  new ModelError("PROVIDER_OVERLOADED", "The provider is overloaded", {
    isRetryable: true,
    providerStatus: 503,
    attempts: 3,
  });
const toolNames = (call: ModelCall): string[] => call.tools.map(({ name }) => name);
const speaksTo = (call: ModelCall, name: string, otherwise: string): AsyncIterable<ModelEvent> =>
  toolNames(call).includes(name) && lastRole(call) === "user" ? calls(call, { name }) : says(call, otherwise);

interface Case {
  readonly name: string;
  readonly agents: readonly string[];
  readonly strategy?: string;
  readonly settings?: unknown;
  readonly request?: unknown;
  readonly message?: string;
  readonly tool?: string;
  readonly node: NodeOptions;
  readonly end: string;
  readonly texts: readonly string[];
  readonly error?: string;
}

let turnNumber = 0;
const CASES: readonly Case[] = [
  {
    name: "parallel: all agents answer on the same history",
    agents: ["Ada", "Bo", "Cy"],
    strategy: "parallel",
    node: { script: (call) => says(call, `${call.messages.length} read`) },
    end: "completed all_replied",
    texts: ["1 read", "1 read", "1 read"],
  },
  {
    name: "mention: the first agent answers when none is named",
    agents: ["Ada", "Bo"],
    strategy: "mention",
    node: { script: (call) => says(call, call.agent.name) },
    end: "completed all_replied",
    texts: ["Ada"],
  },
  {
    name: "round robin, narrowed by a mention",
    agents: ["Ada", "Bo"],
    message: "what do you think, @Bo?",
    node: { script: (call) => says(call, call.agent.name) },
    end: "completed all_replied",
    texts: ["Bo"],
  },
  {
    name: "handoff: one hands over, the other answers",
    agents: ["Ada", "Bo"],
    strategy: "handoff",
    node: {
      script: (call) => (call.agent.name === "Ada" ? calls(call, { name: "handoff_to_bo" }) : says(call, "mine now")),
    },
    end: "completed all_replied",
    texts: ["mine now"],
  },
  {
    name: "handoff: two agents that hand over to each other endlessly",
    agents: ["Ada", "Bo"],
    strategy: "handoff",
    node: {
      script: (call) => calls(call, { name: call.agent.name === "Ada" ? "handoff_to_bo" : "handoff_to_ada" }),
    },
    end: "failed loop_detected",
    texts: [],
    error: "LOOP_DETECTED",
  },
  {
    name: "handoff: the reason reaches the next agent",
    agents: ["Ada", "Bo"],
    strategy: "handoff",
    node: {
      script: (call) =>
        call.agent.name === "Ada"
          ? calls(call, { name: "handoff_to_bo", input: { reason: "It is about an invoice." } })
          : says(call, JSON.stringify(call.messages.at(-1))),
    },
    end: "completed all_replied",
    texts: [
      JSON.stringify({
        role: "user",
        content: "[User]: hello\n\n[Ada]: (hands the conversation over to you) It is about an invoice.",
        names: ["User", "Ada"],
        starts: [0, 15],
      }),
    ],
  },
  {
    name: "mention: the agents answer in the order of the message",
    agents: ["Ada", "Bo", "Cy"],
    strategy: "mention",
    message: "@Cy first, then @Ada",
    node: { script: (call) => says(call, call.agent.name) },
    end: "completed all_replied",
    texts: ["Cy", "Ada"],
  },
  {
    name: "selector: nothing needs to be said",
    agents: ["Ada", "Bo"],
    strategy: "selector",
    node: { script: (call) => calls(call, { name: "choose_next_speaker", input: { next: "done" } }) },
    end: "completed no_reply_needed",
    texts: [],
  },
  {
    name: "selector: a model that names the speaker in its text",
    agents: ["Ada", "Bo", "Cy"],
    strategy: "selector",
    settings: { max_turns: 1 },
    node: {
      script: (call) => says(call, toolNames(call).length > 0 ? "Let Cy speak next." : call.agent.name),
    },
    end: "completed max_turns",
    texts: ["Cy"],
  },
  {
    name: "selector: the model selects a speaker, then done",
    agents: ["Ada", "Bo"],
    strategy: "selector",
    node: {
      script: (call) => {
        if (!toolNames(call).includes("choose_next_speaker")) return says(call, call.agent.name);
        const isSaid = JSON.stringify(call.messages).includes("[Bo]: Bo");
        return calls(call, { name: "choose_next_speaker", input: { next: isSaid ? "done" : "Bo" } });
      },
    },
    end: "completed all_replied",
    texts: ["Bo"],
  },
  {
    name: "selector: a model that cannot choose",
    agents: ["Ada", "Bo"],
    strategy: "selector",
    node: { script: (call) => says(call, toolNames(call).length > 0 ? "well..." : call.agent.name) },
    end: "completed all_replied",
    texts: ["Ada", "Bo"],
  },
  {
    name: "supervisor: asks the others and answers itself",
    agents: ["Ada", "Bo"],
    strategy: "supervisor",
    node: {
      script: (call) =>
        call.agent.name === "Bo"
          ? says(call, `you asked: ${/\[Ada\]: (.*)/.exec(JSON.stringify(call.messages))?.[1]?.slice(0, 3)}`)
          : lastRole(call) === "user"
            ? calls(call, { name: "ask_bo", input: { message: "why" } })
            : says(call, `Bo said ${JSON.stringify(call.messages.at(-1)).includes("you asked: why")}`),
    },
    end: "completed all_replied",
    texts: ["you asked: why", "Bo said true"],
  },
  {
    name: "supervisor: no turns left for the others",
    agents: ["Ada", "Bo"],
    strategy: "supervisor",
    settings: { max_turns: 1 },
    node: {
      script: (call) =>
        lastRole(call) === "user" ? calls(call, { name: "ask_bo", input: { message: "why" } }) : says(call, "alone"),
    },
    end: "completed all_replied",
    texts: ["alone"],
  },
  {
    name: "no agent answers with text",
    agents: ["Ada"],
    node: { script: (call) => says(call, " \n ") },
    end: "completed empty_response",
    texts: [],
  },
  {
    name: "more rounds than turns",
    agents: ["Ada", "Bo"],
    settings: { max_rounds: 5, max_turns: 3 },
    node: { script: (call) => says(call, `turn ${turnNumber++}`) },
    end: "completed max_turns",
    texts: ["turn 0", "turn 1", "turn 2"],
  },
  {
    name: "an agent that repeats itself",
    agents: ["Ada"],
    settings: { max_rounds: 5 },
    node: { script: (call) => says(call, "as I said.") },
    end: "completed no_progress",
    texts: ["as I said.", "as I said."],
  },
  {
    name: "an agent that repeats itself does not end the part of the others",
    agents: ["Ada", "Bo"],
    settings: { max_rounds: 3 },
    node: { script: (call) => says(call, call.agent.name === "Ada" ? "as I said." : `${call.messages.length}`) },
    end: "completed all_replied",
    texts: ["as I said.", "1", "as I said.", "3", "5"],
  },
  {
    name: "a model that keeps calling tools must answer at the limit",
    agents: ["Ada"],
    settings: { max_tool_steps: 2 },
    tool: "look_up",
    node: {
      script: (call) =>
        call.toolChoice === "none"
          ? says(call, "enough")
          : calls(call, { name: "look_up", input: { step: call.messages.length } }),
    },
    end: "completed max_tool_steps",
    texts: ["enough"],
  },
  {
    name: "a model that repeats the same call must answer with text",
    agents: ["Ada"],
    tool: "look_up",
    node: {
      script: (call) => (call.toolChoice === "none" ? says(call, "I give up") : calls(call, { name: "look_up" })),
    },
    end: "completed loop_detected",
    texts: ["I give up"],
  },
  {
    name: "a model that repeats the same call and writes no text",
    agents: ["Ada"],
    tool: "look_up",
    node: { script: (call) => calls(call, { name: "look_up" }) },
    end: "failed loop_detected",
    texts: [],
  },
  {
    name: "a model that loops does not end the part of the others",
    agents: ["Ada", "Bo"],
    tool: "look_up",
    node: { script: (call) => (call.agent.name === "Ada" ? calls(call, { name: "look_up" }) : says(call, "fine")) },
    end: "partial loop_detected",
    texts: ["fine"],
  },
  {
    name: "a model that uses up its tokens before it writes",
    agents: ["Ada"],
    node: { script: (call) => finishes(call, "length") },
    end: "failed max_tokens_reached",
    texts: [],
  },
  {
    name: "a message that is longer than the model can read",
    agents: ["Ada"],
    node: { script: (call) => fails(call, new ModelError("CONTEXT_LENGTH_EXCEEDED", "Too long")) },
    end: "failed context_length_exceeded",
    texts: [],
  },
  {
    name: "an answer that does not satisfy its schema",
    agents: ["Ada"],
    request: { response_schema: { type: "object" } },
    node: { script: (call) => says(call, "not JSON") },
    end: "failed schema_mismatch",
    texts: ["not JSON"],
  },
  {
    name: "an error of the service",
    agents: ["Ada"],
    node: { script: (call) => fails(call, new TypeError("a defect")) },
    end: "failed internal_error",
    texts: [],
  },
  {
    name: "a budget that is spent between two agents",
    agents: ["Ada", "Bo"],
    settings: { budget: { max_tokens: 4_200 } },
    node: {
      script: async function* (call) {
        yield { type: "start", framework: call.framework, model: "scripted", attempt: 1 };
        yield { type: "text", delta: "dear words" };
        yield {
          type: "finish",
          reason: "stop",
          usage: {
            inputTokens: 3_000,
            cachedInputTokens: 0,
            outputTokens: 100,
            reasoningTokens: 0,
            isEstimated: false,
          },
        };
      },
    },
    end: "partial budget_exceeded",
    texts: ["dear words"],
    error: "BUDGET_EXCEEDED",
  },
  {
    name: "a run that exceeds its time limit",
    agents: ["Ada"],
    settings: { timeout_ms: 1_000 },
    node: { script: (call) => hangs(call, "still ", "here") },
    end: "partial timeout",
    texts: ["still here"],
    error: "PROVIDER_TIMEOUT",
  },
  {
    name: "one provider fails, the other agent answers",
    agents: ["Ada", "Bo"],
    node: { script: (call) => (call.agent.name === "Ada" ? fails(call, overloaded()) : says(call, "fine")) },
    end: "partial provider_error",
    texts: ["fine"],
  },
  {
    name: "a stream that breaks off keeps its text",
    agents: ["Ada"],
    node: { script: (call) => fails(call, overloaded(), "half a") },
    end: "partial provider_error",
    texts: ["half a"],
  },
  {
    name: "a failure in a swarm that stops on errors",
    agents: ["Ada", "Bo"],
    settings: { on_agent_error: "stop" },
    node: { script: (call) => (call.agent.name === "Ada" ? fails(call, overloaded()) : says(call, "never")) },
    end: "failed provider_error",
    texts: [],
  },
  {
    name: "an answer that the provider withholds",
    agents: ["Ada"],
    node: { script: (call) => finishes(call, "content_filter") },
    end: "failed content_filtered",
    texts: [],
  },
  {
    name: "a context that is too long is shortened once",
    agents: ["Ada"],
    node: {
      script: (call) =>
        JSON.stringify(call.messages).includes("oldest")
          ? fails(call, new ModelError("CONTEXT_LENGTH_EXCEEDED", "Too long"))
          : says(call, "short enough"),
    },
    message: "newest",
    end: "completed all_replied",
    texts: ["short enough"],
  },
  {
    name: "the model gets the error of a tool that fails",
    agents: ["Ada"],
    tool: "look_up",
    node: {
      script: (call) =>
        lastRole(call) === "user"
          ? calls(call, { name: "look_up" }, { name: "no_such" })
          : says(
              call,
              JSON.stringify(call.messages)
                .match(/TIMED_OUT|TOOL_NOT_FOUND|half an answer/g)
                ?.join(" ") ?? "nothing",
            ),
      tools: {
        run: async () => ({
          status: "timed_out",
          error: { code: "TIMED_OUT", message: "Too slow", retryable: true },
          text: "half an answer",
          attempts: 1,
          durationMs: 5,
        }),
      },
    },
    end: "completed all_replied",
    texts: ["TIMED_OUT half an answer TOOL_NOT_FOUND"],
  },
  {
    name: "tool calls beyond the user's limit are rejected",
    agents: ["Ada"],
    tool: "look_up",
    node: {
      script: (call) =>
        lastRole(call) === "user"
          ? calls(call, { name: "look_up" })
          : says(call, JSON.stringify(call.messages).includes("RATE_LIMITED") ? "limited" : "not limited"),
      charge: { answer: async () => true, tool: async () => false },
    },
    end: "completed all_replied",
    texts: ["limited"],
  },
];

const reached = new Set<string>();
const outcomeOf = async (runId: string): Promise<string> => {
  const { status, stop_reason } = await stage.end(runId);
  reached.add(stop_reason ?? "");
  return `${status} ${stop_reason}`;
};

describe("a run ends", () => {
  for (const { name, node: options, end, texts, error, ...swarmOptions } of CASES)
    test(name, async () => {
      const swarm = await stage.newSwarm(swarmOptions);
      if (swarmOptions.tool !== undefined) await stage.newTool(swarm.agentIds[0] ?? "", swarmOptions.tool);
      for (const content of ["oldest", "old", "new"])
        await stage.sql.query(
          `insert into public.messages (swarm_id, sender_type, sender_user_id, content)
           select $1, 'user', $2, $3 where $4`,
          [swarm.swarmId, swarm.ownerId, content, name.startsWith("a context")],
        );
      const node = stage.node(options);
      const runId = await stage.ask(swarm, swarmOptions.message ?? "hello", swarmOptions.request);
      await node.take(runId);
      assert.equal(await outcomeOf(runId), end, JSON.stringify(node.notes));
      assert.deepEqual(
        (await stage.texts(runId)).map(({ content }) => content),
        texts,
      );
      assert.equal((await stage.run(runId)).error?.code, error);
      const isFailed =
        (await stage.rows("select 1 from public.run_turns where run_id = $1 and status = 'failed'", [runId])).length >
        0;
      for (const agentId of swarm.agentIds)
        assert.ok(["idle", ...(isFailed ? ["error"] : [])].includes(await stage.statusOf(agentId)));
      const open =
        "select 1 from public.tool_executions where run_id = $1 and status in ('running', 'pending_approval')";
      assert.deepEqual(await stage.rows(open, [runId]), []);
    });
});

describe("a tool that needs approval", () => {
  /** Starts a run, lets it pause, decides, and lets another node continue. */
  async function pause(options: {
    readonly strategy?: string;
    readonly approvalTtlMs?: number;
    readonly after: string;
  }) {
    const swarm = await stage.newSwarm({ agents: ["Ada", "Bo"], strategy: options.strategy ?? "round_robin" });
    const asking = swarm.agentIds[options.strategy === "supervisor" ? 1 : 0] ?? "";
    await stage.newTool(asking, "pay", { requiresApproval: true });
    const script = (call: ModelCall): AsyncIterable<ModelEvent> => {
      if (toolNames(call).includes("ask_bo") && lastRole(call) === "user")
        return calls(call, { name: "ask_bo", input: { message: "pay it" } });
      const result = JSON.stringify(call.messages.filter(({ role }) => role === "tool"))
        .match(/pay says|TOOL_DENIED|APPROVAL_EXPIRED/g)
        ?.at(-1);
      return result === undefined
        ? speaksTo(call, "pay", "no need")
        : says(call, options.after === "" ? "" : `${result}`);
    };
    const ttl = { ...(options.approvalTtlMs !== undefined && { approvalTtlMs: options.approvalTtlMs }) };
    const node = stage.node({ script, ...ttl });
    const runId = await stage.ask(swarm);
    const shown = collect(node, runId);
    await node.take(runId);
    await until(async () => (await stage.run(runId)).status === "requires_action", "it waits");
    for (const agentId of swarm.agentIds) assert.equal(await stage.statusOf(agentId), "idle");
    await until(() => shown.some(({ type }) => type === "tool.approval_required"), "it says so");
    const decide = (isApproved: boolean): Promise<unknown> =>
      isApproved
        ? stage.sql.query(
            `update public.tool_executions set status = 'running', decided_by = $2
             where run_id = $1 and status = 'pending_approval'`,
            [runId, swarm.ownerId],
          )
        : stage.sql.query(
            `select private.deny_tool(r, x.id, $2, 'TOOL_DENIED', 'no')
             from public.runs r join public.tool_executions x on x.run_id = r.id where r.id = $1`,
            [runId, swarm.ownerId],
          );
    return { swarm, runId, decide, resume: () => stage.node({ script, executor: { times: { sweepMs: 50 } } }) };
  }

  test("frees the swarm while it waits, and continues on another node before younger runs", async () => {
    const { swarm, runId, decide, resume } = await pause({ after: "result" });
    const other = stage.node({ script: (call) => says(call, "meanwhile") });
    const second = await stage.ask(swarm, "and this?");
    await other.take(second);
    assert.equal(await outcomeOf(second), "completed all_replied");
    assert.equal(await stage.statusOf(swarm.agentIds[0] ?? ""), "idle");
    await decide(true);
    const third = await stage.ask(swarm, "and that?");
    await assert.rejects(other.take(third), /could not be started/);
    const node = resume();
    node.start();
    assert.equal(await outcomeOf(runId), "completed all_replied");
    assert.deepEqual(
      (await stage.texts(runId)).map(({ content }) => content),
      ["pay says", "no need"],
    );
    const changes = await stage.rows<{ status: string; reason: string }>(
      `select data ->> 'status' as status, data ->> 'reason' as reason from public.run_events
       where run_id = $1 and type = 'agent.status_changed' and agent_id = $2 order by seq`,
      [runId, swarm.agentIds[0]],
    );
    assert.deepEqual(
      changes.map(({ status, reason }) => `${status} ${reason}`),
      ["thinking run_started", "idle waiting", "thinking resumed", "responding first_token", "idle run_completed"],
    );
    await until(async () => (await stage.run(third)).status === "requires_action", "the younger one had its turn");
    await node.stop();
  });

  test("is denied: the model gets an error, and tool.error is raised", async () => {
    const { runId, decide, resume } = await pause({ after: "result", strategy: "supervisor" });
    await decide(false);
    const node = resume();
    await node.take(runId);
    assert.equal(await outcomeOf(runId), "completed all_replied");
    assert.deepEqual(
      (await stage.texts(runId)).map(({ content }) => content),
      ["TOOL_DENIED", "TOOL_DENIED"],
    );
    const result = await stage.rows("select 1 from public.run_events where run_id = $1 and type = 'tool.error'", [
      runId,
    ]);
    assert.equal(result.length, 1);
  });

  for (const { after: words, end } of [
    { after: "result", end: "completed all_replied" },
    { after: "", end: "failed approval_expired" },
  ])
    test(`expires: it counts as denied and the run is ${end}`, async () => {
      const { swarm, runId, resume } = await pause({ after: words, approvalTtlMs: 50 });
      await stage.sql.query("delete from public.swarm_agents where swarm_id = $1 and agent_id = $2", [
        swarm.swarmId,
        swarm.agentIds[1],
      ]);
      const node = resume();
      node.start();
      assert.equal(await outcomeOf(runId), end);
      assert.equal(await stage.statusOf(swarm.agentIds[0] ?? ""), "idle");
      await node.stop();
    });

  test("does not wait when the run was cancelled before", async () => {
    const swarm = await stage.newSwarm({ agents: ["Ada"] });
    await stage.newTool(swarm.agentIds[0] ?? "", "pay", { requiresApproval: true });
    const runId = await stage.ask(swarm);
    const node = stage.node({
      script: async function* (call) {
        await stage.sql.query("update private.run_leases set cancel_requested_at = now() where run_id = $1", [runId]);
        yield* calls(call, { name: "pay" });
      },
    });
    await node.take(runId);
    assert.equal(await outcomeOf(runId), "cancelled cancelled");
    assert.equal(await stage.statusOf(swarm.agentIds[0] ?? ""), "idle");
  });

  test("is not run when its agent was removed before the decision", async () => {
    const { swarm, runId, decide, resume } = await pause({ after: "result" });
    await decide(true);
    await stage.sql.query("update public.swarm_agents set enabled = false where agent_id = $1", [swarm.agentIds[0]]);
    const node = resume();
    await node.take(runId);
    assert.equal(await outcomeOf(runId), "completed all_replied");
    assert.equal(await stage.statusOf(swarm.agentIds[0] ?? ""), "idle");
  });
});

describe("what agents pass on to each other", () => {
  const askAs = async (node: NodeOptions, swarm: NewSwarm, message: string): Promise<void> => {
    const runId = await stage.ask(swarm, message);
    await stage.node(node).take(runId);
    assert.equal(await outcomeOf(runId), "completed all_replied");
  };

  test("handoff: the agent that took over stays in charge until it hands back", async () => {
    const swarm = await stage.newSwarm({ agents: ["Triage", "Billing"], strategy: "handoff" });
    const called: string[] = [];
    const script = (call: ModelCall): AsyncIterable<ModelEvent> => {
      called.push(call.agent.name);
      const asked = JSON.stringify(call.messages).split("[User]: ").at(-1) ?? "";
      if (call.agent.name === "Triage" && asked.includes("invoice"))
        return calls(call, { name: "handoff_to_billing", input: { reason: "about money" } });
      if (call.agent.name === "Billing" && asked.includes("password"))
        return calls(call, { name: "handoff_to_triage", input: { reason: "about the account" } });
      return says(call, `${call.agent.name} ${called.length}`);
    };
    for (const message of ["My invoice", "Is it due?", "My password", "Thanks"])
      await askAs({ script }, swarm, message);
    assert.deepEqual(called, ["Triage", "Billing", "Billing", "Billing", "Triage", "Triage"]);
    const handoffs = await stage.rows<{ handoff: unknown; event: unknown }>(
      `select t.handoff, e.data -> 'handoff' as event from public.run_turns t
       join public.run_events e on e.run_id = t.run_id and e.type = 'turn.completed' and e.data ->> 'turn_id' = t.id::text
       where t.swarm_id = $1 and t.handoff is not null order by t.finished_at`,
      [swarm.swarmId],
    );
    const [triageId, billingId] = swarm.agentIds;
    const expected = [
      { agent_id: billingId, agent_name: "Billing", reason: "about money" },
      { agent_id: triageId, agent_name: "Triage", reason: "about the account" },
    ];
    assert.deepEqual(
      handoffs,
      expected.map((handoff) => ({ handoff, event: handoff })),
    );
  });

  test("supervisor: the coordinator knows whom it leads, and its questions stay in the asked agent's context", async () => {
    const swarm = await stage.newSwarm({ agents: ["Lead", "Scout"], strategy: "supervisor" });
    const prompts: { name: string; system: string; messages: string }[] = [];
    const script = (call: ModelCall): AsyncIterable<ModelEvent> => {
      prompts.push({ name: call.agent.name, system: call.system, messages: JSON.stringify(call.messages) });
      if (call.agent.name === "Scout") return says(call, `found ${prompts.length}`);
      return lastRole(call) === "user"
        ? calls(call, { name: "ask_scout", input: { message: `Look up ${prompts.length}` } })
        : says(call, `done ${prompts.length}`);
    };
    for (const message of ["One", "Two"]) await askAs({ script }, swarm, message);
    const [lead, scout] = ["Lead", "Scout"].map((name) => prompts.filter((prompt) => prompt.name === name));
    assert.match(lead?.[0]?.system ?? "", /You lead the conversation: ask "Scout" \(agent\) with your tools/);
    assert.doesNotMatch(scout?.[0]?.system ?? "", /You lead/);
    assert.match(scout?.[1]?.messages ?? "", /\[Lead\]: Look up 1.*found 2.*done 3.*Two.*\[Lead\]: Look up 4/);
    assert.deepEqual(
      await stage.rows(
        "select asked from public.run_turns where swarm_id = $1 and asked is not null order by started_at",
        [swarm.swarmId],
      ),
      ["Look up 1", "Look up 4"].map((message) => ({
        asked: { by_agent_id: swarm.agentIds[0], by_agent_name: "Lead", message },
      })),
    );
  });

  test("selector: the coordinator's own prompt is used, and a model that ignores the tool is asked once more", async () => {
    const swarm = await stage.newSwarm({ agents: ["Chair", "Bo", "Cy"], strategy: "selector" });
    await stage.sql.query("update public.agents set system_prompt = 'Prefer Cy.' where id = $1", [swarm.agentIds[0]]);
    const selections: ModelCall[] = [];
    const script = (call: ModelCall): AsyncIterable<ModelEvent> => {
      if (toolNames(call).length === 0) return says(call, `I am ${call.agent.name}`);
      selections.push(call);
      return says(call, "Hm.");
    };
    await askAs({ script }, swarm, "Hello");
    assert.equal(selections.length, 2);
    const [{ system, tools } = { system: "", tools: [] }] = selections;
    assert.match(system, /^Prefer Cy\.\n\nNow you do not answer/);
    assert.match(system, /You are "Chair" and take part/);
    assert.match(JSON.stringify(tools), /"enum":\["Chair","Bo","Cy","done"\]/);
    assert.doesNotMatch(JSON.stringify(selections), new RegExp(swarm.agentIds[1] ?? "-"));
  });

  test("the owner's preamble is for the owner's agents alone", async () => {
    const swarm = await stage.newSwarm({
      agents: ["Own", "Other"],
      settings: { preamble: "Here speaks {agent_name}." },
    });
    const otherId = await stage.newUser();
    const insert = "insert into public.swarm_members (swarm_id, user_id, status) values ($1, $2, 'active')";
    await stage.sql.query(insert, [swarm.swarmId, otherId]);
    const guestId = await stage.newAgent(otherId, "Guest");
    await stage.sql.query("insert into public.swarm_agents (swarm_id, agent_id) values ($1, $2)", [
      swarm.swarmId,
      guestId,
    ]);
    const systems: Record<string, string> = {};
    const script = (call: ModelCall): AsyncIterable<ModelEvent> => {
      systems[call.agent.name] = call.system;
      return says(call, call.agent.name);
    };
    await askAs({ script }, swarm, "Hello");
    assert.equal(systems["Own"], "Here speaks Own.");
    assert.match(systems["Guest"] ?? "", /^You are "Guest" and take part in the conversation "swarm"\./);
    assert.match(systems["Guest"] ?? "", /"User" \(person\), "User \(2\)" \(person\)/);
  });
});

test("the tests cover every stop reason", () => {
  const elsewhere = ["cancelled", "interrupted", "starter_removed", "worker_lost", "guardrail_failed"];
  assert.deepEqual(
    RUN_STOP_REASONS.filter((reason) => !reached.has(reason) && !elsewhere.includes(reason)),
    [],
  );
});
