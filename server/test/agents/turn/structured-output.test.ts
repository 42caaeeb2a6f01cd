import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { VendorKind } from "../../../src/config/index.ts";
import { openBench } from "../../support/providers/models.ts";
import { WIRE } from "../../support/providers/wire.ts";
import type { WireAnswer } from "../../support/providers/wire-answer.ts";
import { hang, openWireServer, say, type WireServer } from "../../support/providers/wire-server.ts";
import { collect, type NewSwarm, openRunStage, type RunNode, type RunStage } from "../support/run-stage.ts";
import { until } from "../../support/until.ts";

// Runs on a real database with the real adapters and providers on loopback.

const SCHEMA = {
  type: "object",
  properties: { city: { type: "string" }, degrees: { type: "number" } },
  required: ["city", "degrees"],
  additionalProperties: false,
};
const VALUE = { city: "Delft", degrees: 12.5 };
const VALID: WireAnswer = { texts: ['{"city":"Delft",', '"degrees":12.5}'] };
const INVALID: WireAnswer = { texts: ['{"city":"Delft"}'] };

let stage: RunStage;
let provider: WireServer;
const closers: (() => Promise<void>)[] = [];
before(async () => {
  stage = await openRunStage({ after: (close) => void closers.push(close) });
  provider = await openWireServer();
  closers.push(() => provider.close());
});
after(async () => {
  for (const close of closers.reverse()) await close();
});

interface Body {
  readonly status: string;
  readonly responses: readonly {
    readonly data: unknown;
    readonly message: { readonly content: string; readonly data: unknown };
    readonly finish_reason: string;
    readonly usage: { readonly output_tokens: number };
  }[];
  readonly errors: readonly { readonly code: string; readonly message: string }[];
}

function nodeOf(kind: VendorKind): RunNode {
  const { models } = openBench(kind, provider.url);
  return stage.node({ models });
}

async function bodyOf(runId: string): Promise<Body> {
  await stage.end(runId);
  const [row] = await stage.rows<{ body: Body }>("select private.render_run($1) as body", [runId]);
  assert.ok(row !== undefined);
  return row.body;
}

/** Runs with scripted answers of the provider, and returns the events too. */
async function run(kind: VendorKind, answers: readonly WireAnswer[], swarm: NewSwarm, request: unknown = {}) {
  provider.answer(...answers.map((answer) => say(WIRE[kind](answer))));
  const runId = await stage.ask(swarm, "How warm is it?", request);
  const node = nodeOf(kind);
  const events = collect(node, runId);
  await node.take(runId);
  return { body: await bodyOf(runId), events, asked: provider.asked.map(({ body }) => body) };
}

async function newSwarm(agents = ["Ada"], settings: unknown = {}, strategy = "round_robin"): Promise<NewSwarm> {
  const swarm = await stage.newSwarm({ agents, strategy });
  await stage.sql.query("update public.agents set settings = $2 where id = any ($1)", [
    swarm.agentIds,
    JSON.stringify(settings),
  ]);
  return swarm;
}

describe("a response_schema", () => {
  test("is sent in the format of each kind, and the parsed value is stored", async () => {
    const cases: readonly (readonly [VendorKind, (body: Record<string, unknown>) => unknown, unknown])[] = [
      [
        "openai",
        (body) => body["response_format"],
        { type: "json_schema", json_schema: { name: "response", strict: true, schema: SCHEMA } },
      ],
      ["openai-compatible", (body) => body["response_format"], undefined],
      ["anthropic", (body) => body["output_config"], { format: { type: "json_schema", schema: SCHEMA } }],
      [
        "google",
        (body) => {
          const { responseMimeType, responseJsonSchema } = body["generationConfig"] as Record<string, unknown>;
          return { responseMimeType, responseJsonSchema };
        },
        { responseMimeType: "application/json", responseJsonSchema: SCHEMA },
      ],
    ];
    for (const [kind, sentOf, expected] of cases) {
      const { body, asked } = await run(kind, [VALID], await newSwarm(["Ada"], { response_schema: SCHEMA }));
      const [response] = body.responses;
      assert.deepEqual([body.status, response?.data, response?.message.data], ["completed", VALUE, VALUE], kind);
      assert.equal(response?.message.content, '{"city":"Delft","degrees":12.5}');
      assert.equal(asked.length, 1);
      assert.deepEqual(sentOf(asked[0] ?? {}), expected, kind);
      // The schema stands in the system prompt where the provider does not take it.
      const isTold = JSON.stringify(asked[0]).includes("must satisfy this JSON Schema");
      assert.equal(isTold, kind === "openai-compatible", kind);
    }
  });

  test("of a call takes precedence over that of the agent", async () => {
    const swarm = await newSwarm(["Ada"], { response_schema: { type: "object", required: ["other"] } });
    const { body, asked } = await run("openai", [VALID], swarm, { response_schema: SCHEMA });
    assert.deepEqual([body.status, body.responses[0]?.data, asked.length], ["completed", VALUE, 1]);
  });

  test("applies to the final text after tool calls, and the text before them is discarded", async () => {
    for (const kind of ["openai", "anthropic", "google"] as const) {
      const swarm = await newSwarm(["Ada"], { response_schema: SCHEMA });
      await stage.newTool(swarm.agentIds[0] ?? "", "weather");
      const calls = [{ id: "call_1", name: "weather", input: { city: "Delft" } }];
      const { body, events } = await run(kind, [{ texts: ["Let me look."], calls }, VALID], swarm);
      assert.deepEqual([body.status, body.responses[0]?.data], ["completed", VALUE], kind);
      assert.equal(body.responses[0]?.message.content, '{"city":"Delft","degrees":12.5}');
      const resets = events.filter(({ type }) => type === "message.reset");
      assert.deepEqual(
        resets.map(({ data }) => [data["reason"], data["error"]]),
        [["tool_calls", null]],
      );
      // What a reader has after the reset is the stored text.
      const seq = resets[0]?.seq ?? 0;
      const deltas = events.filter((event) => event.type === "message.delta" && event.seq > seq);
      assert.equal(deltas.map(({ data }) => data["delta"]).join(""), body.responses[0]?.message.content);
    }
  });

  test("applies after another node has continued the run", async () => {
    const swarm = await newSwarm();
    await stage.newTool(swarm.agentIds[0] ?? "", "weather", { requiresApproval: true });
    const calls = [{ id: "call_1", name: "weather", input: {} }];
    provider.answer(say(WIRE.openai({ texts: ["Let me look."], calls })), say(WIRE.openai(VALID)));
    const runId = await stage.ask(swarm, "How warm is it?", { response_schema: SCHEMA });
    await nodeOf("openai").take(runId);
    await until(async () => (await stage.run(runId)).status === "requires_action", "the run waits for an approval");
    await stage.sql.query("update public.tool_executions set status = 'running', decided_by = $2 where run_id = $1", [
      runId,
      swarm.ownerId,
    ]);
    await nodeOf("openai").take(runId);
    const { status, responses } = await bodyOf(runId);
    assert.deepEqual([status, responses[0]?.data], ["completed", VALUE]);
    assert.equal(responses[0]?.message.content, '{"city":"Delft","degrees":12.5}');
  });

  test("applies to every agent of a swarm, and not to answers to the coordinator", async () => {
    const all = await run("openai", [VALID], await newSwarm(["Ada", "Bo"]), { response_schema: SCHEMA });
    assert.deepEqual(
      all.body.responses.map(({ data }) => data),
      [VALUE, VALUE],
    );
    const swarm = await newSwarm(["Ada", "Bo"], {}, "supervisor");
    await stage.sql.query("update public.swarms set coordinator_agent_id = $2 where id = $1", [
      swarm.swarmId,
      swarm.agentIds[0],
    ]);
    const calls = [{ id: "call_1", name: "ask_bo", input: { message: "How warm?" } }];
    const asked = await run("openai", [{ calls }, { texts: ["Rather warm."] }, VALID], swarm, {
      response_schema: SCHEMA,
    });
    assert.deepEqual(
      asked.body.responses.map(({ data, message }) => [message.content, data]),
      [
        ["Rather warm.", null],
        ['{"city":"Delft","degrees":12.5}', VALUE],
      ],
    );
  });
});

describe("an answer that does not satisfy the schema", () => {
  const settings = { response_schema: SCHEMA };

  test("is repaired once: the model is told why, and both calls count", async () => {
    for (const kind of ["openai", "anthropic", "google"] as const) {
      const { body, events, asked } = await run(kind, [INVALID, VALID], await newSwarm(["Ada"], settings));
      const [response] = body.responses;
      assert.deepEqual([body.status, response?.data, asked.length], ["completed", VALUE, 2], kind);
      assert.equal(response?.message.content, '{"city":"Delft","degrees":12.5}');
      assert.equal(response?.usage.output_tokens, 14);
      const reset = events.find(({ type }) => type === "message.reset");
      assert.deepEqual(
        [reset?.data["reason"], reset?.data["error"]],
        ["repair", "the answer must have required property 'degrees'"],
      );
      assert.match(JSON.stringify(asked[1]), /must have required property 'degrees'/);
    }
  });

  test("is accepted in a code block", async () => {
    const texts = ["```json\n", '{"city":"Delft","degrees":12.5}', "\n```"];
    const { body, asked } = await run("openai-compatible", [{ texts }], await newSwarm(["Ada"], settings));
    assert.deepEqual([body.responses[0]?.data, asked.length], [VALUE, 1]);
    assert.equal(body.responses[0]?.message.content, '{"city":"Delft","degrees":12.5}');
  });

  test("fails with RESPONSE_SCHEMA_MISMATCH after the repair, and only for that agent", async () => {
    const swarm = await newSwarm(["Ada", "Bo"], settings);
    const { body, asked } = await run("openai", [INVALID, { texts: ["Warm."] }, VALID], swarm);
    assert.equal(asked.length, 3);
    assert.deepEqual(
      body.errors.map(({ code, message }) => [code, message]),
      [["RESPONSE_SCHEMA_MISMATCH", "The answer does not satisfy the response_schema: the answer is not valid JSON"]],
    );
    assert.equal(body.status, "partial");
    assert.deepEqual(
      body.responses.map(({ message, data }) => [message.content, data]),
      [
        ["Warm.", null],
        ['{"city":"Delft","degrees":12.5}', VALUE],
      ],
    );
  });

  test("is discarded when the node is lost during the repair", async () => {
    const swarm = await newSwarm(["Ada"], settings);
    provider.answer(say(WIRE.openai(INVALID)), hang([]));
    const runId = await stage.ask(swarm, "How warm is it?");
    await nodeOf("openai").take(runId);
    await until(() => provider.asked.length >= 2, "the model repairs its answer");
    const events = "select count(*)::int as n from public.run_events where run_id = $1 and type = 'message.reset'";
    await until(async () => (await stage.rows<{ n: number }>(events, [runId]))[0]?.n === 1, "the reset is stored");
    await stage.sql.query(
      "update private.run_leases set expires_at = now() - interval '1 minute', takeovers = 2 where run_id = $1",
      [runId],
    );
    const other = nodeOf("openai");
    other.start();
    const body = await bodyOf(runId);
    await other.stop();
    // The rejected text was discarded, and the repair had not begun to answer.
    assert.deepEqual([body.status, body.responses], ["failed", []]);
    assert.equal(provider.asked.length, 2);
  });
});
