import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { createTracing, type Tracing } from "../../../src/agents/tracing.ts";

const TRACE_ID = "0af7651916cd43dd8448eb211c80319c";
const PARENT_ID = "b7ad6b7169203331";
const RUN = { runId: "r1", swarmId: "s1", swarmName: "Editors", strategy: "handoff" };
const TURN = { turnId: "t1", agentId: "a1", agentName: "Writer", framework: "provider_b", model: null };
const CHAT = {
  framework: "provider_b",
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
const USAGE = { inputTokens: 10, cachedInputTokens: 4, outputTokens: 5, reasoningTokens: 0, isEstimated: false };

function record(captureContent: boolean) {
  const exporter = new InMemorySpanExporter();
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  return { exporter, tracing: createTracing({ captureContent, tracerProvider }) };
}

function runOnce(tracing: Tracing, traceparent?: string): (string | undefined)[] {
  const run = tracing.startRun(traceparent === undefined ? RUN : { ...RUN, traceparent });
  const turn = run.startTurn(TURN);
  const chat = turn.startChat(CHAT);
  chat.end({ model: "m-1-2026", finishReason: "tool_calls", usage: USAGE, text: "secret answer" });
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
      "gen_ai.provider.name": "provider_b",
      "gen_ai.request.model": "m-1",
      "gen_ai.request.temperature": 0.2,
      "gen_ai.request.top_p": 1,
      "gen_ai.request.max_tokens": 64,
      "gen_ai.request.presence_penalty": 0,
      "gen_ai.request.stop_sequences": ["END"],
      "gen_ai.response.model": "m-1-2026",
      "gen_ai.response.finish_reasons": ["tool_calls"],
      "gen_ai.usage.input_tokens": 10,
      "gen_ai.usage.output_tokens": 5,
      "gen_ai.usage.cache_read.input_tokens": 4,
    });
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
  const tracing = createTracing({ captureContent: true });
  const header = `00-${TRACE_ID}-${PARENT_ID}-01`;
  assert.deepEqual(runOnce(tracing, header), [header, header]);
  assert.deepEqual(runOnce(tracing), [undefined, undefined]);
});
