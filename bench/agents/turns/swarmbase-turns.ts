import { randomUUID } from "node:crypto";
import type pg from "pg";
import { createCalibration } from "../../../server/src/agents/providers/estimate-tokens.ts";
import type { ModelCall, ModelEvent } from "../../../server/src/agents/providers/model-port.ts";
import type { Models } from "../../../server/src/agents/providers/open-models.ts";
import { identifyProvider } from "../../../server/src/agents/providers/provider-identity.ts";
import { executeRun } from "../../../server/src/agents/execution/execute-run.ts";
import type { RunPorts } from "../../../server/src/agents/run/live-run.ts";
import { createRunStore } from "../../../server/src/agents/writer/run-store.ts";
import { createStreamHub } from "../../../server/src/agents/streams/stream-hub.ts";
import type { LoadedRun } from "../../../server/src/agents/run/sql/load-run.ts";
import type { SpeakingAgent, StepResult } from "../../../server/src/agents/writer/steps.ts";
import { checkToolInput, describeTool } from "../../../server/src/agents/tools/input/check-input.ts";
import { createSchemaCompiler } from "../../../server/src/agents/schemas/schema-compiler.ts";
import { DEFAULT_MAXIMA } from "../../../server/src/agents/strategies/run-limits.ts";
import { openStarters } from "../../../server/src/agents/tools/starters.ts";
import type { AssignedTool, Tools } from "../../../server/src/agents/tools/tool-port.ts";
import { RunTracing } from "../../../server/src/agents/tracing.ts";
import { systemClock } from "../../../server/src/time/index.ts";
import { silentObserver } from "../../../server/test/support/silent-observer.ts";
import { ANSWER, INSTRUCTIONS, QUESTION, TOOL_INPUT, TOOL_NAME, TOOL_OUTPUT } from "../peers/script.js";
import type { TurnContender } from "./turn-contender.ts";

const USER_ID = randomUUID();
const SWARM_ID = randomUUID();
const USAGE = { inputTokens: 20, cachedInputTokens: 0, outputTokens: 20, reasoningTokens: 0, isEstimated: false };

const STORED_ANSWER = `"content":${JSON.stringify(ANSWER)}`;

const THERMOMETER: AssignedTool = {
  id: randomUUID(),
  owner_id: USER_ID,
  name: TOOL_NAME,
  description: "Reads a thermometer.",
  kind: "builtin",
  input_schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  config: {},
  configuration: {},
  requires_approval: false,
  timeout_ms: 30_000,
  max_output_chars: 16_000,
  max_retries: 1,
  idempotent: false,
  approver: null,
  acts_for_starter: false,
  secrets_wrapped: null,
};

/** The whole of a run as the service carries it out, but for PostgreSQL, the vendor and the tool, which answer at once. */
export function openSwarmbaseTurns(): TurnContender {
  return { name: "Swarmbase", answer: openRuns([]), callTool: openRuns([THERMOMETER]) };
}

function openRuns(tools: readonly AssignedTool[]): () => Promise<string> {
  const agent: SpeakingAgent = {
    id: randomUUID(),
    name: "Forecaster",
    user_id: USER_ID,
    role: null,
    framework: "provider_a",
    model: "scripted",
    system_prompt: INSTRUCTIONS,
    settings: {},
    tools,
    past_calls: null,
    summary: null,
  };
  const schemas = createSchemaCompiler({ maxKept: 10 });
  const toolModule: Tools = {
    describe: describeTool,
    checkInput: (tool, inputText) => checkToolInput(schemas, tool, inputText),
    run: async () => ({
      status: "succeeded",
      output: TOOL_OUTPUT,
      text: TOOL_OUTPUT,
      outputChars: TOOL_OUTPUT.length,
      isTruncated: false,
      attempts: 1,
      durationMs: 0,
    }),
  };
  const store = createStore(agent);
  const ports: RunPorts = {
    pool: store.pool,
    store: createRunStore(store.pool, () => 1),
    models: createModels(tools.length > 0),
    tools: toolModule,
    starters: openStarters({ pool: store.pool, clock: systemClock, inactivitySeconds: 0, isAal2Required: false }),
    schemas,
    guardrails: { check: async () => ({ isTripped: false }) },
    tracing: new RunTracing({
      captureContent: false,
      identify: () => identifyProvider({ kind: "simulated", baseUrl: null }),
    }),
    streamHub: createStreamHub(),
    observer: silentObserver,
    clock: systemClock,
    calibration: createCalibration(),
    charge: { answer: async () => true, tool: async () => true },
    newId: randomUUID,
    onEvents: () => {},
    onWait: () => {},
    maxima: DEFAULT_MAXIMA,
    maxWaitingRuns: 1_000,
    summaryModel: null,
    approvalTtlMs: 900_000,
    clientToolTtlMs: 60_000,
    toolConcurrency: 8,
  };
  return async () => {
    const control = {
      controller: new AbortController(),
      turnControllers: new Map<string, AbortController>(),
      isHeld: () => true,
    };
    await executeRun(ports, { runId: randomUUID(), fence: 1, leasedAtMs: performance.now(), ...control });
    return store.lastAnswer();
  };
}

/** In the place of PostgreSQL: takes the statements of a run and answers as its functions do. */
function createStore(agent: SpeakingAgent): { readonly pool: pg.Pool; lastAnswer(): string } {
  let steps = "";
  const context = (runId: string): LoadedRun => ({
    run: { id: runId, swarm_id: SWARM_ID, user_id: USER_ID, message_id: null, strategy: "round_robin", request: {} },
    last_seq: 1,
    max_unstored_seqs: 100_000,
    swarm: {
      id: SWARM_ID,
      name: "Weather",
      description: null,
      status: "active",
      owner_id: USER_ID,
      coordinator_agent_id: null,
      settings: {},
      is_private: false,
    },
    message: QUESTION,
    agents: [{ ...agent, position: 0, payer_id: null, grant_id: null, accepts_client_tools: true }],
    people: [{ id: USER_ID, name: "Ann" }],
    in_charge_agent_id: null,
    questions: [],
    payer_id: USER_ID,
    has_budget: false,
    guardrails: [],
    may_go_on: true,
    progress: null,
    recovery: null,
    decisions: [],
  });
  const question = {
    id: [randomUUID()],
    seq: [1],
    sender_type: ["user"],
    sender_id: [USER_ID],
    sender_name: ["Ann"],
    content: [QUESTION],
    reply_to_id: [null],
    run_id: [null],
  };
  const query = async ({ name, values }: { name: string; values: readonly string[] }) => {
    if (name === "agents-load-run") return { rows: [{ context: context(String(values[0])) }] };
    // Parsing what was sent would be PostgreSQL's work, which is not measured here.
    steps = String(values[0]);
    const ops = Array.from(steps.matchAll(/"op":"([a-z_]+)"/g), ([, op]) => op);
    const isBegun = ops.includes("start_turn");
    const run = {
      place: 0,
      outcome: "taken",
      cancel_reason: null,
      results: ops.map(
        (op): StepResult => (op === "start_turn" ? { events: [], outcome: "started", agent } : { events: [] }),
      ),
      messages: isBegun ? question : null,
      body: {},
      has_next: false,
    };
    return { rows: [{ answer: { runs: [run], has_events: false } }] };
  };
  return { pool: { query } as unknown as pg.Pool, lastAnswer: () => (steps.includes(STORED_ANSWER) ? ANSWER : steps) };
}

function createModels(callsTool: boolean): Models {
  return {
    describe: () => ({
      framework: "provider_a",
      model: "scripted",
      contextWindow: 128_000,
      hasTools: true,
      hasImages: true,
      isReasoning: false,
      isSimulated: false,
    }),
    maxTokens: () => 4_096,
    boundedFrameworks: () => [],
    async *stream({ messages }: ModelCall): AsyncIterable<ModelEvent> {
      yield { type: "start", framework: "provider_a", model: "scripted", attempt: 1 };
      const isCall = callsTool && !messages.some(({ role }) => role === "tool");
      if (isCall)
        yield { type: "tool_call", call: { id: "call_1", name: TOOL_NAME, inputText: JSON.stringify(TOOL_INPUT) } };
      else yield { type: "text", delta: ANSWER };
      yield { type: "finish", reason: isCall ? "tool_calls" : "stop", usage: USAGE };
    },
    priceOf: () => null,
    highestPriceOf: () => null,
  };
}
