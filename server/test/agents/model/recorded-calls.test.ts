import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import type { Models } from "../../../src/agents/providers/open-models.ts";
import { openModels } from "../../../src/agents/providers/open-models.ts";
import { identifyProvider } from "../../../src/agents/providers/provider-identity.ts";
import { resolveProviders } from "../../../src/agents/providers/resolve-providers.ts";
import { RunTracing } from "../../../src/agents/tracing.ts";
import { loadSettings } from "../../../src/config/index.ts";
import { systemClock } from "../../../src/time/index.ts";
import { silentObserver } from "../../support/silent-observer.ts";
import { PROTOCOLS } from "../../support/providers/protocols.ts";
import { WIRE } from "../../support/providers/wire.ts";
import { failWith, openWireServer, say, type WireServer } from "../../support/providers/wire-server.ts";
import { calls, hangs, lastRole, openRunStage, type RunStage, says } from "../support/run-stage.ts";
import { until } from "../../support/until.ts";

// Rows of model_calls, on a real database, with real adapters where a provider is involved.

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

interface CallRow {
  readonly id: string;
  readonly turn_id: string | null;
  readonly agent_id: string;
  readonly attempt: number;
  readonly framework: string;
  readonly model: string;
  readonly status: string;
  readonly finish_reason: string | null;
  readonly error: { readonly code: string; readonly provider_status: number | null } | null;
  readonly first_token_ms: number | null;
  readonly duration_ms: number;
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly estimated: boolean;
  readonly cost_usd: number | null;
  /** The transaction that ended the turn stored the row. */
  readonly is_with_end: boolean;
  /** A transaction that started a tool call stored the row. */
  readonly is_with_tool: boolean;
}

const callsOf = (runId: string): Promise<CallRow[]> =>
  stage.rows<CallRow>(
    `select c.*, c.cost_usd::float8, c.input_tokens::integer, c.output_tokens::integer,
       coalesce(t.finished_at = c.created_at, false) as is_with_end,
       exists (select 1 from public.tool_executions x
               where x.turn_id = c.turn_id and x.created_at = c.created_at) as is_with_tool
     from public.model_calls c left join public.run_turns t on t.id = c.turn_id
     where c.run_id = $1 order by c.started_at, c.created_at, c.attempt`,
    [runId],
  );

/** A provider that fails, with a fallback that has a price. */
function openPair(): Models {
  const settings = loadSettings({});
  const compatible = (url: string, model: string, more: object = {}): object => ({
    kind: "openai-compatible",
    base_url: url,
    models: [{ id: model, ...more }],
  });
  const file = {
    provider_a: { ...compatible(first.url, "own"), fallback: ["provider_b"] },
    provider_b: compatible(second.url, "other", { price: { input: 1000, output: 1000 } }),
  };
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

test("retries and fallbacks are rows and spans with the same facts, and their sums are those of the turn", async () => {
  first.answer(failWith(503, {}));
  second.answer(say(WIRE["openai-compatible"]({ texts: ["fine"] })));
  const exporter = new InMemorySpanExporter();
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const tracing = new RunTracing({
    captureContent: false,
    source: { tracerProvider, propagates: true },
    identify: () => identifyProvider({ kind: "simulated", baseUrl: null }),
  });
  const swarm = await stage.newSwarm({ agents: ["Ada"] });
  const runId = await stage.ask(swarm);
  await stage.node({ models: openPair(), tracing }).take(runId);
  assert.equal((await stage.end(runId)).status, "completed");

  const rows = await callsOf(runId);
  assert.deepEqual(
    rows.map(({ attempt, framework, model, status, error, finish_reason }) => [
      attempt,
      framework,
      model,
      status,
      error?.code,
      error?.provider_status,
      finish_reason,
    ]),
    [
      [1, "provider_a", "own", "failed", "PROVIDER_OVERLOADED", 503, null],
      [2, "provider_a", "own", "failed", "PROVIDER_OVERLOADED", 503, null],
      [3, "provider_a", "own", "failed", "PROVIDER_OVERLOADED", 503, null],
      [4, "provider_b", "other", "succeeded", undefined, undefined, "stop"],
    ],
  );
  // 12 input tokens, 7 output tokens.
  assert.deepEqual(
    rows.map((row) => [row.input_tokens, row.output_tokens, row.cost_usd, row.first_token_ms === null]),
    [...Array.from({ length: 3 }, () => [null, null, null, true]), [12, 7, 0.019, false]],
  );
  const [turn] = await stage.rows<{ id: string; cost_usd: number; attempts: number }>(
    "select id, cost_usd::float8, attempts from public.run_turns where run_id = $1",
    [runId],
  );
  assert.deepEqual([turn?.cost_usd, turn?.attempts], [0.019, 4]);
  for (const row of rows) {
    assert.deepEqual([row.turn_id, row.agent_id, row.is_with_end], [turn?.id, swarm.agentIds[0], true]);
    assert.ok(row.duration_ms >= (row.first_token_ms ?? 0));
  }

  const spans = exporter.getFinishedSpans().filter(({ name }) => name.startsWith("chat "));
  assert.deepEqual(
    spans.map(({ attributes }) => [
      attributes["swarmbase.model_call.id"],
      attributes["swarmbase.model_call.attempt"],
      attributes["gen_ai.request.model"],
      attributes["error.type"],
      attributes["gen_ai.usage.input_tokens"],
      attributes["swarmbase.model_call.cost_usd"],
      attributes["swarmbase.model_call.first_token_ms"],
    ]),
    rows.map(({ id, attempt, model, error, input_tokens, cost_usd, first_token_ms }) => [
      id,
      attempt,
      model,
      error?.code,
      input_tokens ?? undefined,
      cost_usd ?? undefined,
      first_token_ms ?? undefined,
    ]),
  );
  // Each request has the traceparent of its own span.
  const sent = [...first.asked, ...second.asked].map(({ headers }) => String(headers["traceparent"]).split("-")[2]);
  assert.deepEqual(
    sent,
    spans.map((span) => span.spanContext().spanId),
  );
});

test("a call whose last attempt fails has a row with the error", async () => {
  first.answer(failWith(401, {}));
  second.answer(failWith(400, {}));
  const swarm = await stage.newSwarm({ agents: ["Ada"] });
  const runId = await stage.ask(swarm);
  await stage.node({ models: openPair() }).take(runId);
  assert.equal((await stage.end(runId)).status, "failed");
  assert.deepEqual(
    (await callsOf(runId)).map(({ framework, status, error, is_with_end }) => [
      framework,
      status,
      error?.provider_status,
      is_with_end,
    ]),
    [
      ["provider_a", "failed", 401, true],
      ["provider_b", "failed", 400, true],
    ],
  );
});

test("a call before a tool call is stored with it, so that it can be read while the run waits", async () => {
  const swarm = await stage.newSwarm({ agents: ["Ada"] });
  const [agentId = ""] = swarm.agentIds;
  await stage.newTool(agentId, "plain");
  await stage.newTool(agentId, "careful", { requiresApproval: true });
  let round = 0;
  const node = stage.node({
    script: (call) => {
      round += 1;
      if (round <= 2) return calls(call, { name: round === 1 ? "plain" : "careful" });
      assert.equal(lastRole(call), "tool");
      return says(call, "done");
    },
  });
  const runId = await stage.ask(swarm);
  await node.take(runId);
  await until(async () => (await stage.run(runId)).status === "requires_action", "the call waits for its approval");
  const waiting = await callsOf(runId);
  assert.deepEqual(
    waiting.map(({ status, finish_reason, is_with_tool }) => [status, finish_reason, is_with_tool]),
    [
      ["succeeded", "tool_calls", true],
      ["succeeded", "tool_calls", true],
    ],
  );
  await until(() => !node.streamHub.isHere(runId), "the node has released the run");
  await stage.sql.query(
    "update public.tool_executions set status = 'running' where run_id = $1 and status <> 'succeeded'",
    [runId],
  );
  await node.take(runId);
  assert.equal((await stage.end(runId)).status, "completed");
  const rows = await callsOf(runId);
  assert.deepEqual(
    rows.map(({ id }) => id).slice(0, 2),
    waiting.map(({ id }) => id),
  );
  assert.deepEqual(
    rows.map(({ attempt, input_tokens, output_tokens, is_with_end }) => [
      attempt,
      input_tokens,
      output_tokens,
      is_with_end,
    ]),
    [
      [1, 10, 5, false],
      [1, 10, 5, false],
      [1, 10, 5, true],
    ],
  );
});

test("a call that is aborted is cancelled and has the estimated usage that the turn is charged", async () => {
  const swarm = await stage.newSwarm({ agents: ["Ada"] });
  const node = stage.node({ script: (call) => hangs(call, "half an ") });
  const runId = await stage.ask(swarm);
  await node.take(runId);
  await until(async () => (await stage.statusOf(swarm.agentIds[0] ?? "")) === "responding", "the agent responds");
  await stage.sql.query("select private.request_cancel($1, 'cancelled')", [runId]);
  node.start();
  assert.equal((await stage.end(runId)).status, "cancelled");
  const [row] = await callsOf(runId);
  const [turn] = await stage.rows<{ input_tokens: number; output_tokens: number }>(
    "select input_tokens::integer, output_tokens::integer from public.run_turns where run_id = $1",
    [runId],
  );
  assert.deepEqual([row?.status, row?.finish_reason, row?.error, row?.estimated], ["cancelled", null, null, true]);
  assert.deepEqual([row?.input_tokens, row?.output_tokens], [turn?.input_tokens, turn?.output_tokens]);
  assert.ok(row?.first_token_ms !== null);
  await node.stop();
});

test("the selection of a speaker is a call of no turn", async () => {
  const swarm = await stage.newSwarm({ agents: ["Ada", "Bo"], strategy: "selector" });
  const runId = await stage.ask(swarm);
  await stage.node({ script: (call) => says(call, "Ada") }).take(runId);
  await stage.end(runId);
  const rows = await callsOf(runId);
  const selections = rows.filter(({ turn_id }) => turn_id === null);
  assert.ok(selections.length > 0 && selections.length < rows.length);
  for (const { status, agent_id, input_tokens } of selections)
    assert.deepEqual([status, agent_id, input_tokens], ["succeeded", swarm.agentIds[0], 10]);
});

test("rows are removed after the retention, and with their run", async () => {
  const swarm = await stage.newSwarm({ agents: ["Ada"] });
  const runIds = [await stage.ask(swarm), await stage.ask(swarm)];
  const node = stage.node({ script: (call) => says(call, "hi"), executor: { times: { pruneMs: 10 } } });
  for (const runId of runIds) {
    await node.take(runId);
    await stage.end(runId);
  }
  const [old = "", recent = ""] = runIds;
  await stage.sql.query("update public.model_calls set created_at = now() - interval '25 hours' where run_id = $1", [
    old,
  ]);
  node.start();
  await until(async () => (await callsOf(old)).length === 0, "the old row is removed");
  assert.equal((await callsOf(recent)).length, 1);
  await node.stop();
  await stage.sql.query("delete from public.swarms where id = $1", [swarm.swarmId]);
  assert.deepEqual(await callsOf(recent), []);
});
