import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { after, before, describe, test } from "node:test";
import type { Models } from "../../../src/agents/providers/open-models.ts";
import { openModels } from "../../../src/agents/providers/open-models.ts";
import { resolveProviders } from "../../../src/agents/providers/resolve-providers.ts";
import { loadSettings } from "../../../src/config/index.ts";
import { systemClock } from "../../../src/time/index.ts";
import { silentObserver } from "../../support/silent-observer.ts";
import { PROTOCOLS } from "../../support/providers/protocols.ts";
import { WIRE } from "../../support/providers/wire.ts";
import { openWireServer, failWith, say, type WireServer } from "../../support/providers/wire-server.ts";
import { type NewSwarm, openRunStage, type RunStage } from "../support/run-stage.ts";
import { until } from "../../support/until.ts";

// Runs on a real database with the real adapters and providers on loopback.

let stage: RunStage;
let first: WireServer;
let second: WireServer;
const closers: (() => Promise<void>)[] = [];
before(async () => {
  stage = await openRunStage({ after: (close) => void closers.push(close) });
  first = await openWireServer();
  second = await openWireServer();
  closers.push(
    () => first.close(),
    () => second.close(),
  );
});
after(async () => {
  for (const close of closers.reverse()) await close();
});

/** Providers from a file. */
function open(file: unknown): Models {
  const settings = loadSettings({});
  return openModels({
    settings,
    providers: resolveProviders(settings, {}, JSON.stringify(file)),
    protocols: PROTOCOLS,
    fetch,
    clock: systemClock,
    random: () => 0,
    observer: silentObserver,
    sleep: async () => {},
  });
}

const compatible = (url: string, model: string, more: object = {}): object => ({
  kind: "openai-compatible",
  base_url: url,
  models: [{ id: model, ...more }],
});

interface Answered {
  readonly status: string;
  readonly stop_reason: string;
  readonly responses: readonly {
    readonly message: { readonly content: string };
    readonly framework: string;
    readonly usage: { readonly cost_usd: number | null };
    readonly warnings: readonly { readonly setting: string; readonly message: string }[];
  }[];
  readonly errors: readonly { readonly code: string; readonly message: string }[];
}

async function answer(swarm: NewSwarm, models: Models, message = "hello"): Promise<Answered> {
  const runId = await stage.ask(swarm, message);
  await stage.node({ models }).take(runId);
  await stage.end(runId);
  const [row] = await stage.rows<{ body: Answered }>("select private.render_run($1) as body", [runId]);
  assert.ok(row !== undefined);
  return row.body;
}

describe("an answer of a fallback", () => {
  const fine = say(WIRE["openai-compatible"]({ texts: ["fine"] }));
  const price = { input: 1000, output: 1000 };
  const openPair = (own: object): Models => {
    first.answer(failWith(503, {}));
    second.answer(fine);
    return open({
      provider_a: { ...compatible(first.url, "own", own), fallback: ["provider_b"] },
      provider_b: compatible(second.url, "other", { price }),
    });
  };

  test("is priced by the fallback and counts against a money budget", async () => {
    for (const own of [{}, { price: { input: 0, output: 0 } }]) {
      const settings = { budget: { max_cost_usd_per_day: 10 } };
      const swarm = await stage.newSwarm({ agents: ["Ada"], settings });
      const models = openPair(own);
      const { responses } = await answer(swarm, models);
      // 12 input tokens, 7 output tokens.
      assert.deepEqual([responses[0]?.framework, responses[0]?.usage.cost_usd], ["provider_b", 0.019]);
      await stage.sql.query("update public.swarms set settings = $2 where id = $1", [
        swarm.swarmId,
        JSON.stringify({ budget: { max_cost_usd_per_day: 0.019 } }),
      ]);
      const next = await answer(swarm, models);
      assert.deepEqual([next.status, next.stop_reason, next.responses], ["failed", "budget_exceeded", []]);
    }
  });

  test("is recorded under the fallback when it selects the next speaker", async () => {
    const swarm = await stage.newSwarm({ agents: ["Ada", "Bo", "Cy"], strategy: "selector" });
    const models = openPair({});
    await answer(swarm, models);
    const records = await stage.rows<{ framework: string; model: string; cost_usd: number | null }>(
      "select distinct framework, model, cost_usd::float8 from public.usage_records where swarm_id = $1",
      [swarm.swarmId],
    );
    assert.deepEqual(records, [{ framework: "provider_b", model: "other", cost_usd: 0.019 }]);
  });
});

test("the recorded settings are those that were sent, with the defaults", async () => {
  first.answer(say(WIRE.openai({ texts: ["fine"] })));
  const models = open({ provider_a: { kind: "openai", base_url: first.url, models: [{ id: "gpt-4.1-mini" }] } });
  const swarm = await stage.newSwarm({ agents: ["Ada"] });
  await stage.sql.query("update public.agents set settings = $2 where id = $1", [
    swarm.agentIds[0],
    JSON.stringify({ top_p: 0.5, presence_penalty: 0, stop: ["END"], frequency: 1 }),
  ]);
  await answer(swarm, models);
  const body = first.asked.at(-1)?.body;
  assert.deepEqual([body?.["temperature"], body?.["top_p"], body?.["stop"]], [0.7, 0.5, ["END"]]);
  const prompts = await stage.rows("select p.settings from public.model_call_prompts p where p.swarm_id = $1", [
    swarm.swarmId,
  ]);
  assert.deepEqual(prompts, [{ settings: { max_tokens: 4096, temperature: 0.7, top_p: 0.5, stop: ["END"] } }]);
});

test("a provider with a field for names gets each message with its author, others get the prefix alone", async () => {
  const swarm = await stage.newSwarm({ agents: ["Ada", "Bo"], strategy: "mention" });
  await stage.sql.query("update public.profiles set full_name = 'Zoë Müller' where id = $1", [swarm.ownerId]);
  const messagesFor = async (kind: "openai" | "openai-compatible", message: string): Promise<unknown> => {
    first.answer(say(WIRE[kind]({ texts: ["fine"] })));
    await answer(swarm, open({ provider_a: { kind, base_url: first.url, models: [{ id: "gpt-4.1-mini" }] } }), message);
    const { messages } = first.asked.at(-1)?.body ?? {};
    return Array.isArray(messages) ? messages.slice(1) : messages;
  };
  assert.deepEqual(await messagesFor("openai", "@Ada one"), [
    { role: "user", content: "[Zoë Müller]: @Ada one", name: "Zoe_Muller" },
  ]);
  assert.deepEqual(await messagesFor("openai", "@Bo two"), [
    { role: "user", content: "[Zoë Müller]: @Ada one", name: "Zoe_Muller" },
    { role: "user", content: "[Ada]: fine", name: "Ada" },
    { role: "user", content: "[Zoë Müller]: @Bo two", name: "Zoe_Muller" },
  ]);
  assert.deepEqual(await messagesFor("openai-compatible", "@Ada three"), [
    { role: "user", content: "[Zoë Müller]: @Ada one" },
    { role: "assistant", content: "fine" },
    { role: "user", content: "[Zoë Müller]: @Bo two\n\n[Bo]: fine\n\n[Zoë Müller]: @Ada three" },
  ]);
});

test("one person and one agent: the model gets the prompt and the messages, nothing else", async () => {
  const swarm = await stage.newSwarm({ agents: ["Ada"] });
  const models = open({ provider_a: { kind: "openai", base_url: first.url, models: [{ id: "gpt-4.1-mini" }] } });
  const ask = async (message: string): Promise<unknown> => {
    first.answer(say(WIRE.openai({ texts: ["fine"] })));
    await answer(swarm, models, message);
    return first.asked.at(-1)?.body["messages"];
  };
  assert.deepEqual(await ask("hello"), [{ role: "user", content: "hello" }]);
  await stage.sql.query("update public.agents set system_prompt = 'Be brief.' where id = $1", [swarm.agentIds[0]]);
  assert.deepEqual(await ask("and now?"), [
    { role: "system", content: "Be brief." },
    { role: "user", content: "hello" },
    { role: "assistant", content: "fine" },
    { role: "user", content: "and now?" },
  ]);
});

describe("a conversation that exceeds the context window", () => {
  const tooLong = failWith(400, { error: { message: "too long", code: "context_length_exceeded" } });
  const fine = say(WIRE["openai-compatible"]({ texts: ["fine"] }));
  const openOne = (): Models => open({ provider_a: compatible(first.url, "small") });
  const seen = (): string[] => first.asked.map(({ body }) => JSON.stringify(body["messages"]));

  test("fails the run when its only message does not fit", async () => {
    first.answer(tooLong);
    const swarm = await stage.newSwarm({ agents: ["Ada"] });
    const { status, stop_reason, responses, errors } = await answer(swarm, openOne(), "the only question");
    assert.deepEqual([status, stop_reason, responses], ["failed", "context_length_exceeded", []]);
    assert.deepEqual(
      errors.map(({ code }) => code),
      ["CONTEXT_LENGTH_EXCEEDED"],
    );
    assert.ok(seen().length > 0);
    for (const messages of seen()) assert.match(messages, /the only question/);
  });

  test("is shortened from the oldest message and always keeps the newest", async () => {
    const swarm = await stage.newSwarm({ agents: ["Ada"] });
    for (let count = 1; count <= 8; count += 1)
      await stage.sql.query(
        `insert into public.messages (swarm_id, sender_type, sender_user_id, content) values ($1, 'user', $2, $3)`,
        [swarm.swarmId, swarm.ownerId, `old ${count}.`],
      );
    first.answer(tooLong, tooLong, tooLong, fine);
    const { status, responses } = await answer(swarm, openOne(), "the newest question");
    assert.deepEqual([status, responses[0]?.message.content], ["completed", "fine"]);
    assert.deepEqual(
      seen().map((messages) => messages.match(/old \d/g)?.length ?? 0),
      [8, 4, 1, 0],
    );
    for (const messages of seen()) assert.match(messages, /the newest question/);
    assert.deepEqual(
      responses[0]?.warnings.map(({ setting, message }) => [setting, message]),
      [["context", "left out 8 older messages"]],
    );
  });

  test("keeps the question of a turn that waited for an approval", async () => {
    const swarm = await stage.newSwarm({ agents: ["Ada"] });
    await stage.newTool(swarm.agentIds[0] ?? "", "look_up", { requiresApproval: true });
    const calls = [{ id: "c", name: "look_up", input: {} }];
    first.answer(say(WIRE["openai-compatible"]({ calls })), tooLong);
    const runId = await stage.ask(swarm, "the approved question");
    const node = stage.node({ models: openOne() });
    await node.take(runId);
    await until(async () => (await stage.run(runId)).status === "requires_action", "the call waits for its approval");
    await until(() => !node.streamHub.isHere(runId), "the node has released the run");
    await stage.sql.query("update public.tool_executions set status = 'running' where run_id = $1", [runId]);
    await node.take(runId);
    assert.equal((await stage.end(runId)).status, "failed");
    for (const messages of seen()) assert.match(messages, /the approved question/);
  });
});

describe("an answer that ends by length", () => {
  const wire = WIRE["openai-compatible"];
  const thoughts = (): readonly string[] => {
    const [opening = "", ...rest] = wire({ end: "length" });
    return [opening, opening.replace('"content":""', '"reasoning_content":"Let me think"'), ...rest];
  };

  test("fails with an error that names max_tokens when it has no text", async () => {
    const calls = [{ id: "c", name: "look_up", input: { at: "home" } }];
    const half = wire({ calls }).map((frame) =>
      frame.replace('"finish_reason":"tool_calls"', '"finish_reason":"length"'),
    );
    for (const frames of [wire({ end: "length" }), thoughts(), wire({ texts: [" \n"], end: "length" }), half]) {
      first.answer(say(frames));
      const swarm = await stage.newSwarm({ agents: ["Ada"] });
      const { status, errors, responses } = await answer(swarm, open({ provider_a: compatible(first.url, "r1") }));
      assert.deepEqual([status, responses, errors.length], ["failed", [], 1]);
      assert.equal(errors[0]?.code, "MAX_TOKENS_REACHED");
      assert.match(errors[0].message, /max_tokens \(12288\)/);
      assert.equal(first.asked[0]?.body["max_tokens"], 12_288);
      const [spent] = await stage.rows<{ output_tokens: number }>(
        "select output_tokens::integer from public.usage_records where swarm_id = $1",
        [swarm.swarmId],
      );
      assert.equal(spent?.output_tokens, 7);
    }
  });

  test("is kept when it has text; text before a tool call is kept with a warning", async () => {
    first.answer(say(wire({ texts: ["half an"], end: "length" })));
    const swarm = await stage.newSwarm({ agents: ["Ada"] });
    const models = open({ provider_a: compatible(first.url, "plain") });
    const cut = await answer(swarm, models);
    assert.deepEqual([cut.status, cut.responses[0]?.message.content], ["completed", "half an"]);
    assert.deepEqual(cut.responses[0]?.warnings, []);

    await stage.newTool(swarm.agentIds[0] ?? "", "look_up");
    const calls = [{ id: "c", name: "look_up", input: {} }];
    first.answer(say(wire({ texts: ["Let me look."], calls })), say(wire({ end: "length" })));
    const begun = await answer(swarm, models);
    assert.deepEqual([begun.status, begun.responses[0]?.message.content], ["completed", "Let me look."]);
    assert.deepEqual(
      begun.responses[0]?.warnings.map(({ setting }) => setting),
      ["max_tokens"],
    );
  });
});

describe("settings of an agent", () => {
  const settings = { temperature: 0.1, seed: 7, reasoning_effort: "low", response_format: { type: "json_object" } };
  const idle = { logit_bias: {}, thinking: "a lot" };

  test("reach the provider or cause one warning each, for any number of calls in the turn", async () => {
    const swarm = await stage.newSwarm({ agents: ["Ada"] });
    await stage.newTool(swarm.agentIds[0] ?? "", "look_up");
    await stage.sql.query("update public.agents set settings = $2 where id = $1", [
      swarm.agentIds[0],
      JSON.stringify({ ...settings, ...idle }),
    ]);
    const calls = [{ id: "c", name: "look_up", input: {} }];
    const wire = WIRE["openai-compatible"];
    first.answer(say(wire({ calls })), say(wire({ texts: ["{}"] })));
    const { responses } = await answer(swarm, open({ provider_a: compatible(first.url, "plain") }));
    assert.equal(first.asked.length, 2);
    for (const { body } of first.asked) {
      const { temperature, seed, reasoning_effort, response_format } = body;
      assert.deepEqual({ temperature, seed, reasoning_effort, response_format }, settings);
      for (const name of Object.keys(idle)) assert.equal(name in body, false);
    }
    assert.deepEqual(responses[0]?.warnings.map(({ setting }) => setting).toSorted(), ["logit_bias", "thinking"]);
  });
});

test("simulated agents that answer in turn read each other's messages", async () => {
  const swarm = await stage.newSwarm({ agents: ["Ada", "Bo"] });
  const { responses } = await answer(swarm, open({}), "who is there?");
  const [ada = "", bo = ""] = responses.map(({ message }) => message.content);
  assert.match(ada, /^\[simulated\] .* asked: "who is there\?" .*\(1 message,/);
  assert.match(bo, /^\[simulated\] .* asked: "who is there\?" Ada has answered before me\. .*\(2 messages,/);
});

describe("a provider that never answers", () => {
  const CONCURRENCY = 5;
  const SHARE = 2;
  const silent: ServerResponse[] = [];
  const openBoth = (): Models => {
    first.answer((response) => void silent.push(response));
    second.answer(say(WIRE["openai-compatible"]({ texts: ["fine"] })));
    return open({ provider_a: compatible(first.url, "silent"), provider_b: compatible(second.url, "healthy") });
  };
  /** Agents named after their frameworks. */
  const newSwarm = async (...frameworks: readonly string[]): Promise<NewSwarm> => {
    const swarm = await stage.newSwarm({ agents: frameworks });
    await stage.sql.query("update public.agents set framework = name where id = any ($1)", [swarm.agentIds]);
    return swarm;
  };
  const askAll = async (count: number, ...frameworks: readonly string[]): Promise<string[]> => {
    const runIds: string[] = [];
    for (let index = 0; index < count; index += 1) runIds.push(await stage.ask(await newSwarm(...frameworks)));
    return runIds;
  };
  const countBy = async (runIds: readonly string[]): Promise<Record<string, number>> => {
    const rows = await stage.rows<{ status: string; count: number }>(
      "select status, count(*)::integer as count from public.runs where id = any ($1) group by status",
      [runIds],
    );
    return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
  };

  test("blocks only its share of a node: other runs continue, its own runs are queued and executed later", async () => {
    const models = openBoth();
    const stuck = await askAll(12, "provider_a");
    const mixed = await askAll(2, "provider_b", "provider_a");
    const healthy = await askAll(12, "provider_b");
    const node = stage.node({ models, executor: { concurrency: CONCURRENCY, times: { claimPollMs: 600_000 } } });
    node.start();
    node.executor.wake();
    for (const runId of healthy) assert.equal((await stage.end(runId)).status, "completed");
    assert.deepEqual(await countBy(stuck), { running: SHARE, queued: 10 });
    assert.deepEqual(await countBy(mixed), { queued: 2 });
    await until(() => silent.length >= SHARE, "both calls have come");
    assert.equal(first.asked.length, SHARE);

    first.answer(say(WIRE["openai-compatible"]({ texts: ["at last"] })));
    for (const response of silent.splice(0)) response.writeHead(503).end();
    for (const runId of [...stuck, ...mixed]) assert.equal((await stage.end(runId)).status, "completed");
    await node.stop();
  });

  test("gets no more than its share when many runs are admitted at once", async () => {
    const node = stage.node({ models: openBoth(), executor: { concurrency: CONCURRENCY } });
    node.start();
    const offerMany = (): number => {
      const offers = Array.from({ length: 10 }, () =>
        node.executor.reservePlace({ frameworks: ["provider_a"], userId: null }),
      );
      const other = node.executor.reservePlace({ frameworks: ["provider_b"], userId: null });
      const given = offers.filter((offer) => offer !== null);
      assert.ok(given.length <= SHARE);
      assert.ok(given.length === 0 || other !== null);
      for (const offer of [...given, other]) offer?.release();
      return given.length;
    };
    // A claim in progress reserves some of the capacity.
    await until(() => offerMany() === SHARE, "the node offers all places of the share");
    await node.stop();
  });

  test("can use the whole node when it is the only provider", async () => {
    first.answer((response) => void silent.push(response));
    const models = open({ provider_a: compatible(first.url, "silent") });
    assert.deepEqual(models.boundedFrameworks(), []);
    const stuck = await askAll(CONCURRENCY + 1, "provider_a");
    const node = stage.node({ models, executor: { concurrency: CONCURRENCY, stopTimeoutMs: 1 } });
    node.start();
    node.executor.wake();
    await until(() => first.asked.length >= CONCURRENCY, "all places are taken");
    assert.deepEqual(await countBy(stuck), { running: CONCURRENCY, queued: 1 });
    await node.stop();
    for (const response of silent.splice(0)) response.destroy();
    await stage.sql.query("delete from public.runs where id = any ($1)", [stuck]);
  });
});
