import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import type { Framework } from "@swarmbase/sdk";
import type { Provider } from "../../../src/agents/providers/provider.ts";
import { identifyProvider } from "../../../src/agents/providers/provider-identity.ts";
import { RunTracing, type Tracing } from "../../../src/agents/tracing.ts";

const TRACE_ID = "0af7651916cd43dd8448eb211c80319c";
const PARENT_ID = "b7ad6b7169203331";
const RUN = { runId: "r1", swarmId: "s1", swarmName: "Editors", isPrivate: false, strategy: "handoff" };
const TURN = { turnId: "t1", agentId: "a1", agentName: "Writer", framework: "provider_b" as const, model: null };
const CHAT = {
  callId: "m1",
  attempt: 2,
  framework: "provider_b" as const,
  model: "m-1",
  settings: {
    temperature: 0.2,
    top_p: 1,
    max_tokens: 64,
    presence_penalty: 0,
    stop: ["END", 7],
    other: "secret setting",
  },
  system: "secret prompt",
  messages: [
    { role: "user" as const, content: "secret question" },
    { role: "assistant" as const, content: "", toolCalls: [{ id: "c1", name: "search", inputText: "secret input" }] },
    { role: "tool" as const, toolCallId: "c1", toolName: "search", output: "secret output", isError: false },
  ],
};
const TOOL = { executionId: "e1", name: "search", callId: "c1", inputText: "secret input" };
const PROVIDERS: Readonly<Record<Framework, Pick<Provider, "kind" | "baseUrl">>> = {
  provider_a: { kind: "openai", baseUrl: null },
  provider_b: { kind: "anthropic", baseUrl: null },
  provider_c: { kind: "google", baseUrl: null },
};
const identify = (framework: Framework) => identifyProvider(PROVIDERS[framework]);
const USAGE = { inputTokens: 10, cachedInputTokens: 4, outputTokens: 5, reasoningTokens: 3, isEstimated: false };

function record(captureContent: boolean, propagates = true) {
  const exporter = new InMemorySpanExporter();
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  return { exporter, tracing: new RunTracing({ captureContent, source: { tracerProvider, propagates }, identify }) };
}

function runOnce(tracing: Tracing, traceparent?: string, isPrivate = false): (string | undefined)[] {
  const run = tracing.startRun({ ...RUN, isPrivate, ...(traceparent !== undefined && { traceparent }) });
  const turn = run.startTurn(TURN);
  const chat = turn.startChat(CHAT);
  chat.end({ finishReason: "tool_calls", firstTokenMs: 40, usage: USAGE, costUsd: 0.002, text: "secret answer" });
  const tool = turn.startTool(TOOL);
  tool.end({ errorType: "TOOL_TIMEOUT", output: "secret output" });
  turn.end({ usage: USAGE });
  run.end({ status: "completed", stopReason: "all_replied" });
  run.end({ errorType: "late" });
  return [run.traceparent, tool.traceparent];
}

describe("spans of a run", () => {
  const { exporter, tracing } = record(false);
  const [ofRun] = runOnce(tracing, `00-${TRACE_ID}-${PARENT_ID}-01`);
  const spans = Object.fromEntries(exporter.getFinishedSpans().map((span) => [span.name, span]));

  test("have the names of the conventions and are nested", () => {
    const run = spans["invoke_workflow Editors"];
    const turn = spans["invoke_agent Writer"];
    assert.deepEqual(Object.keys(spans).toSorted(), [
      "chat m-1",
      "execute_tool search",
      "invoke_agent Writer",
      "invoke_workflow Editors",
    ]);
    assert.equal(turn?.parentSpanContext?.spanId, run?.spanContext().spanId);
    for (const name of ["chat m-1", "execute_tool search"])
      assert.equal(spans[name]?.parentSpanContext?.spanId, turn?.spanContext().spanId);
  });

  test("continue the trace of the request and propagate their own context", () => {
    const run = spans["invoke_workflow Editors"];
    assert.equal(run?.spanContext().traceId, TRACE_ID);
    assert.equal(run?.parentSpanContext?.spanId, PARENT_ID);
    assert.equal(ofRun, `00-${TRACE_ID}-${run?.spanContext().spanId}-01`);
  });

  test("have attributes of the request and the outcome", () => {
    assert.deepEqual(spans["chat m-1"]?.attributes, {
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "anthropic",
      "gen_ai.request.model": "m-1",
      "gen_ai.request.stream": true,
      "gen_ai.conversation.id": "s1",
      "swarmbase.model_call.id": "m1",
      "swarmbase.model_call.attempt": 2,
      "gen_ai.request.temperature": 0.2,
      "gen_ai.request.top_p": 1,
      "gen_ai.request.max_tokens": 64,
      "gen_ai.request.presence_penalty": 0,
      "gen_ai.request.stop_sequences": ["END"],
      "gen_ai.response.model": "m-1",
      "gen_ai.response.finish_reasons": ["tool_calls"],
      "swarmbase.model_call.first_token_ms": 40,
      "gen_ai.usage.input_tokens": 10,
      "gen_ai.usage.output_tokens": 5,
      "gen_ai.usage.cache_read.input_tokens": 4,
      "gen_ai.usage.reasoning.output_tokens": 3,
      "swarmbase.model_call.cost_usd": 0.002,
    });
    assert.equal(spans["invoke_agent Writer"]?.attributes["gen_ai.provider.name"], "anthropic");
    assert.equal(spans["execute_tool search"]?.attributes["error.type"], "TOOL_TIMEOUT");
    assert.equal(spans["invoke_workflow Editors"]?.attributes["gen_ai.conversation.id"], "s1");
    assert.equal(spans["invoke_workflow Editors"]?.attributes["error.type"], undefined);
  });

  test("have no content by default", () => {
    const written = JSON.stringify(
      exporter.getFinishedSpans().map(({ name, attributes, events, status }) => [name, attributes, events, status]),
    );
    assert.doesNotMatch(written, /secret/);
  });
});

test("spans have content when captureContent is set", () => {
  const { exporter, tracing } = record(true);
  runOnce(tracing);
  const written = JSON.stringify(exporter.getFinishedSpans().map(({ attributes }) => attributes));
  for (const word of ["prompt", "question", "input", "output", "answer"])
    assert.ok(written.includes(`secret ${word}`), word);
  assert.doesNotMatch(written, /secret setting/);
});

test("spans of a private conversation never have content, nor the name of the swarm, which is part of a message", () => {
  const { exporter, tracing } = record(true);
  runOnce(tracing, undefined, true);
  const written = JSON.stringify(exporter.getFinishedSpans().map(({ name, attributes }) => ({ name, attributes })));
  assert.doesNotMatch(written, /secret|Editors/);
});

for (const header of [
  "",
  "x",
  `00-${"0".repeat(32)}-${PARENT_ID}-01`,
  `ff-${TRACE_ID}-${PARENT_ID}-01`,
  `00-${TRACE_ID}-${PARENT_ID}`,
  "0".repeat(5000),
])
  test(`${JSON.stringify(header.slice(0, 60))} starts a new trace`, () => {
    const { exporter, tracing } = record(false);
    runOnce(tracing, header);
    const run = exporter.getFinishedSpans().find(({ name }) => name.startsWith("invoke_workflow"));
    assert.equal(run?.parentSpanContext, undefined);
    assert.notEqual(run?.spanContext().traceId, TRACE_ID);
  });

test("without a tracer the traceparent of the request reaches tools unchanged", () => {
  const tracing = new RunTracing({ captureContent: true, identify });
  const header = `00-${TRACE_ID}-${PARENT_ID}-01`;
  assert.deepEqual(runOnce(tracing, header), [header, header]);
  assert.deepEqual(runOnce(tracing), [undefined, undefined]);
});

test("a run without propagation is traced, but sends no traceparent", () => {
  const { exporter, tracing } = record(false, false);
  assert.deepEqual(runOnce(tracing, `00-${TRACE_ID}-${PARENT_ID}-01`), [undefined, undefined]);
  assert.equal(exporter.getFinishedSpans().length, 4);
});

test("the span of a model call that failed has the error and no model that answered", () => {
  const { exporter, tracing } = record(false);
  const run = tracing.startRun(RUN);
  run.startChat({ ...CHAT, framework: "provider_c" }).end({ errorType: "PROVIDER_OVERLOADED" });
  const [span] = exporter.getFinishedSpans();
  assert.equal(span?.name, "generate_content m-1");
  assert.equal(span?.attributes["error.type"], "PROVIDER_OVERLOADED");
  assert.equal(span?.attributes["gen_ai.response.model"], undefined);
});

test("captured content has a bound: long texts are cut, and the newest messages are kept", () => {
  const { exporter, tracing } = record(true);
  const messages = Array.from({ length: 100 }, (_, index) => ({
    role: "user" as const,
    content: `${index} ${"x".repeat(20_000)}`,
  }));
  const chat = tracing.startRun(RUN).startChat({ ...CHAT, system: "s".repeat(20_000), messages });
  chat.end({ text: "t".repeat(20_000) });
  const attributes = exporter.getFinishedSpans()[0]?.attributes ?? {};
  const input = String(attributes["gen_ai.input.messages"]);
  assert.ok(input.length <= 33_000, String(input.length));
  const kept = JSON.parse(input) as { parts: { content: string }[] }[];
  assert.deepEqual(
    kept.map(({ parts }) => parts[0]?.content.split(" ")[0]),
    ["97", "98", "99"],
  );
  for (const name of ["gen_ai.system_instructions", "gen_ai.output.messages"])
    assert.ok(String(attributes[name]).length < 8_400, name);
});

const IDENTITIES: readonly [Pick<Provider, "kind" | "baseUrl">, string, string][] = [
  [{ kind: "openai", baseUrl: null }, "openai", "null:0"],
  [{ kind: "anthropic", baseUrl: null }, "anthropic", "null:0"],
  [{ kind: "google", baseUrl: null }, "gcp.gemini", "null:0"],
  [
    { kind: "google", baseUrl: "https://aiplatform.googleapis.com/v1" },
    "gcp.vertex_ai",
    "aiplatform.googleapis.com:443",
  ],
  [
    { kind: "openai", baseUrl: "https://acme.openai.azure.com/openai/v1" },
    "azure.ai.openai",
    "acme.openai.azure.com:443",
  ],
  [{ kind: "openai-compatible", baseUrl: "https://api.groq.com/openai/v1" }, "groq", "api.groq.com:443"],
  [{ kind: "openai-compatible", baseUrl: "https://api.x.ai/v1" }, "x_ai", "api.x.ai:443"],
  [{ kind: "openai-compatible", baseUrl: "https://notx.ai/v1" }, "openai-compatible", "notx.ai:443"],
  [{ kind: "openai-compatible", baseUrl: "http://127.0.0.1:8000/v1" }, "openai-compatible", "127.0.0.1:8000"],
  [{ kind: "simulated", baseUrl: null }, "simulated", "null:0"],
];

for (const [provider, name, server] of IDENTITIES)
  test(`${provider.kind} at ${provider.baseUrl ?? "the vendor"} is the provider ${name}`, () => {
    const { address, port, name: found } = identifyProvider(provider);
    assert.deepEqual([found, `${address}:${port}`], [name, server]);
  });
