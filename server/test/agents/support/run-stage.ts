import { randomUUID } from "node:crypto";
import { getTestContext } from "node:test";
import type { GuardedFetch } from "@swarmbase/guarded-fetch";
import pg from "pg";
import { createCalibration } from "../../../src/agents/providers/estimate-tokens.ts";
import type { ModelCall, ModelEvent } from "../../../src/agents/providers/model-port.ts";
import type { Models } from "../../../src/agents/providers/open-models.ts";
import { createExecutor, type Executor, type ExecutorOptions } from "../../../src/agents/execution/create-executor.ts";
import type { RunPorts } from "../../../src/agents/run/live-run.ts";
import { openGuardrails } from "../../../src/agents/guardrails/open-guardrails.ts";
import { createStreamHub, type OpenStreamHub, type RunEvent } from "../../../src/agents/streams/stream-hub.ts";
import { DEFAULT_MAXIMA, type RunMaxima } from "../../../src/agents/strategies/run-limits.ts";
import { openStarters } from "../../../src/agents/tools/starters.ts";
import type { ToolOutcome, Tools } from "../../../src/agents/tools/tool-port.ts";
import { identifyProvider } from "../../../src/agents/providers/provider-identity.ts";
import { RunTracing, type Tracing } from "../../../src/agents/tracing.ts";
import { deleteAccount } from "../../../src/auth/sql/users.ts";
import { retryAfterDeadlock } from "../../../src/auth/users/retry-after-deadlock.ts";
import { inTransaction, openDatabase } from "../../../src/db/index.ts";
import { supervise } from "../../../src/jobs/index.ts";
import type { Observer } from "../../../src/observe/index.ts";
import { buildSignedHeaders } from "../../../src/webhooks/index.ts";
import { systemClock } from "../../../src/time/index.ts";
import { type Cleanup, createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { type DatabaseRelay, startDatabaseRelay } from "../../support/database-relay.ts";
import { silentObserver } from "../../support/silent-observer.ts";
import { createSchemaCompiler } from "../../../src/agents/schemas/schema-compiler.ts";
import { until } from "../../support/until.ts";

type Script = (call: ModelCall) => AsyncIterable<ModelEvent>;

export interface NodeOptions {
  /** The answers of the model, unless `models` is given. */
  readonly script?: Script;
  readonly models?: Models;
  readonly tools?: Partial<Tools>;
  /** Sends the requests of guardrails. */
  readonly guarded?: Pick<GuardedFetch, "fetch">;
  readonly charge?: RunPorts["charge"];
  readonly executor?: Partial<
    Pick<
      ExecutorOptions,
      "leaseMs" | "concurrency" | "eventRetentionHours" | "providerSharePercent" | "stopTimeoutMs" | "times"
    >
  >;
  readonly maxima?: RunMaxima;
  readonly maxWaitingRuns?: number;
  readonly summaryModel?: RunPorts["summaryModel"];
  readonly approvalTtlMs?: number;
  readonly clientToolTtlMs?: number;
  readonly toolConcurrency?: number;
  /** Default: no span is recorded. */
  readonly tracing?: Tracing;
  /** In USD for a thousand tokens, for all frameworks or by framework. */
  readonly price?: number | Readonly<Record<string, number>>;
}

export interface RunNode {
  readonly executor: Executor;
  readonly streamHub: OpenStreamHub;
  readonly notes: readonly { readonly name: string; readonly fields: unknown }[];
  /** Has this node take over the runs of a node that was lost. */
  releaseOwner(owner: string): Promise<void>;
  /** Starts the run on this node, which learns of its lease when `onLeased` has resolved. */
  take(runId: string, onLeased?: () => Promise<void>): Promise<void>;
  /** Starts the workers. */
  start(): void;
  stop(): Promise<void>;
}

interface RunRow {
  readonly status: string;
  readonly stop_reason: string | null;
  readonly error: { readonly code: string } | null;
  readonly turn_count: number;
}

export interface NewSwarm {
  readonly swarmId: string;
  readonly ownerId: string;
  readonly agentIds: readonly string[];
}

export interface RunStage {
  /** Connected directly, even when the nodes are not. */
  readonly sql: pg.Client;
  /** The pool of all nodes. */
  readonly pool: pg.Pool;
  /** Another connection. */
  connect(): Promise<pg.Client>;
  newUser(): Promise<string>;
  /** As the service deletes it, while runs are in progress. */
  deleteUser(userId: string): Promise<void>;
  newAgent(userId: string, name: string): Promise<string>;
  newSwarm(options: {
    readonly agents: readonly string[];
    readonly strategy?: string;
    readonly settings?: unknown;
    /** Default: a new user. */
    readonly ownerId?: string;
  }): Promise<NewSwarm>;
  newTool(
    agentId: string,
    name: string,
    more?: { readonly requiresApproval?: boolean; readonly kind?: string },
  ): Promise<string>;
  /** Inserts a message and its queued run. */
  ask(swarm: Pick<NewSwarm, "swarmId" | "ownerId">, message?: string, request?: unknown): Promise<string>;
  node(options: NodeOptions): RunNode;
  rows<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  run(runId: string): Promise<RunRow>;
  /** Waits until the run has ended. */
  end(runId: string): Promise<RunRow>;
  statusOf(agentId: string): Promise<string>;
  texts(runId: string): Promise<{ content: string; finish_reason: string | null; metadata: Record<string, unknown> }[]>;
}

const FINAL = ["completed", "partial", "failed", "cancelled"];

export async function openRelayedRunStage(t: Cleanup): Promise<RunStage & { readonly relay: DatabaseRelay }> {
  const database = await createTestDatabase(t);
  const relay = await startDatabaseRelay(t, database.adminUrl);
  return { ...openStageOn(t, database, relay.url), relay };
}

export async function openRunStage(t: Cleanup): Promise<RunStage> {
  const database = await createTestDatabase(t);
  return openStageOn(t, database, database.adminUrl);
}

function openStageOn(t: Cleanup, database: TestDatabase, url: string): RunStage {
  const sql = database.owner;
  // All nodes share the pool: they differ by the runs that they hold.
  const pools = openDatabase({
    url,
    masterKey: database.masterKey,
    poolSize: 10,
    observer: silentObserver,
  });
  const nodes: (() => Promise<void>)[] = [];
  t.after(async () => {
    await Promise.all(nodes.map((stop) => stop()));
    await pools.close();
  });
  const rows: RunStage["rows"] = async <Row>(text: string, values: readonly unknown[] = []) =>
    (await sql.query(text, [...values])).rows as Row[];
  const idOf = async (text: string, values: readonly unknown[]): Promise<string> => {
    const [row] = await rows<{ id: string }>(text, values);
    if (row === undefined) throw new Error("nothing was inserted");
    return row.id;
  };
  const newUser = (): Promise<string> =>
    idOf("insert into auth.users (email) values ($1) returning id", [`${randomUUID()}@example.test`]);
  const newAgent: RunStage["newAgent"] = (userId, name) =>
    idOf("insert into public.agents (user_id, name) values ($1, $2) returning id", [userId, name]);

  const run: RunStage["run"] = async (runId) => {
    const [row] = await rows<RunRow>("select * from public.runs where id = $1", [runId]);
    if (row === undefined) throw new Error("no such run");
    return row;
  };

  return {
    sql,
    pool: pools.service,
    async connect() {
      const client = new pg.Client({ connectionString: database.ownerUrl });
      await client.connect();
      t.after(() => client.end());
      return client;
    },
    rows,
    run,
    newUser,
    deleteUser: (userId) =>
      retryAfterDeadlock(() => inTransaction(pools.service, (client) => deleteAccount(client, userId))),
    newAgent,
    async newSwarm({ agents, strategy = "round_robin", settings = {}, ownerId: givenId }) {
      const ownerId = givenId ?? (await newUser());
      const swarmId = await idOf(
        "insert into public.swarms (owner_id, name, strategy, settings) values ($1, 'swarm', $2, $3) returning id",
        [ownerId, strategy, JSON.stringify(settings)],
      );
      const agentIds: string[] = [];
      for (const name of agents) {
        const agentId = await newAgent(ownerId, name);
        await sql.query("insert into public.swarm_agents (swarm_id, agent_id) values ($1, $2)", [swarmId, agentId]);
        agentIds.push(agentId);
      }
      return { swarmId, ownerId, agentIds };
    },
    async newTool(agentId, name, { requiresApproval = false, kind = "http" } = {}) {
      const toolId = await idOf(
        `insert into public.tools (owner_id, name, description, requires_approval, kind)
         select user_id, $2, 'for tests', $3, $4 from public.agents where id = $1 returning id`,
        [agentId, name, requiresApproval, kind],
      );
      await sql.query("insert into public.agent_tools (agent_id, tool_id) values ($1, $2)", [agentId, toolId]);
      return toolId;
    },
    async ask({ swarmId, ownerId }, message = "hello", request = {}) {
      const messageId = await idOf(
        `insert into public.messages (swarm_id, sender_type, sender_user_id, content)
         values ($1, 'user', $2, $3) returning id`,
        [swarmId, ownerId, message],
      );
      const runId = await idOf(
        `insert into public.runs (swarm_id, user_id, message_id, strategy, request, queued_at)
         select id, $2, $3, strategy, $4, clock_timestamp() from public.swarms where id = $1 returning id`,
        [swarmId, ownerId, messageId, JSON.stringify(request)],
      );
      await sql.query("insert into private.run_leases (run_id) values ($1) on conflict do nothing", [runId]);
      return runId;
    },
    node(options) {
      const notes: { name: string; fields: unknown }[] = [];
      const observer: Observer = { note: (name, fields) => void notes.push({ name, fields }), child: () => observer };
      const streamHub = createStreamHub();
      const owner = randomUUID();
      const schemas = createSchemaCompiler({ maxKept: 10 });
      const { executor, workers, nodeWorkers, releaseOwner } = createExecutor({
        ports: {
          pool: pools.service,
          models: options.models ?? scriptedModels(options.script ?? says, options.price ?? null),
          tools: { ...plainTools, ...options.tools },
          starters: openStarters({
            pool: pools.service,
            clock: systemClock,
            inactivitySeconds: 0,
            isAal2Required: false,
          }),
          schemas,
          guardrails: openGuardrails({
            schemas,
            guarded: options.guarded ?? { fetch: () => Promise.reject(new Error("no webhook is expected")) },
            clock: systemClock,
            newId: randomUUID,
            sign: ({ id, type, secret }, body, timestampSeconds) =>
              buildSignedHeaders(
                { id, eventId: id, eventType: type, secret, previousSecrets: [] },
                body,
                timestampSeconds,
              ),
          }),
          tracing:
            options.tracing ??
            new RunTracing({
              captureContent: false,
              identify: () => identifyProvider({ kind: "simulated", baseUrl: null }),
            }),
          streamHub,
          observer,
          clock: systemClock,
          calibration: createCalibration(),
          charge: options.charge ?? { answer: async () => true, tool: async () => true },
          newId: randomUUID,
          onEvents: () => {},
          maxima: options.maxima ?? DEFAULT_MAXIMA,
          maxWaitingRuns: options.maxWaitingRuns ?? 1_000,
          summaryModel: options.summaryModel ?? null,
          approvalTtlMs: options.approvalTtlMs ?? 60_000,
          clientToolTtlMs: options.clientToolTtlMs ?? 60_000,
          toolConcurrency: options.toolConcurrency ?? 8,
        },
        owner,
        concurrency: 64,
        providerSharePercent: 40,
        userSharePercent: 100,
        leaseMs: 30_000,
        eventRetentionHours: 24,
        modelCallRetentionHours: 24,
        stopTimeoutMs: 200,
        listenUrl: database.url("sb_service"),
        random: Math.random,
        ...options.executor,
        // Nodes whose workers are not started have no session.
        times: { sessionMs: 3_600_000, ...options.executor?.times },
      });
      const stopping = new AbortController();
      let running: Promise<void> | null = null;
      const stop = async (): Promise<void> => {
        stopping.abort();
        await running;
      };
      nodes.push(stop);
      return {
        executor,
        releaseOwner,
        streamHub,
        notes,
        stop,
        start: () => {
          running ??= supervise([...workers, ...nodeWorkers], { signal: stopping.signal, observer });
          // Also when the test fails: a node that keeps running would claim the runs of the next tests.
          const context = getTestContext();
          if (context !== undefined && "after" in context) context.after(stop);
        },
        async take(runId, onLeased = async () => {}) {
          const leasedAtMs = performance.now();
          const { rows: started } = await pools.service.query<{ fence: string | null }>(
            "select private.start_run($1, $2, $3) as fence",
            [runId, owner, executor.leaseMs],
          );
          const fence = started[0]?.fence;
          if (fence === null || fence === undefined) throw new Error("the run could not be started");
          await onLeased();
          executor.take({ runId, fence: Number(fence), leasedAtMs });
        },
      };
    },
    async end(runId) {
      await until(async () => FINAL.includes((await run(runId)).status), "the run has ended");
      return await run(runId);
    },
    async statusOf(agentId) {
      const [row] = await rows<{ status: string }>("select status from public.agents where id = $1", [agentId]);
      return row?.status ?? "none";
    },
    texts: (runId) =>
      rows(
        `select content, finish_reason, metadata from public.messages
         where run_id = $1 and sender_type = 'agent' order by seq`,
        [runId],
      ),
  };
}

/** Collects all events of a run that the stream hub publishes. */
export function collect(node: RunNode, runId: string): RunEvent[] {
  const events: RunEvent[] = [];
  node.streamHub.subscribe(runId, (event) => events.push(event));
  return events;
}

/** The result of a tool. */
export function succeeded(text: string, output: unknown = text): Extract<ToolOutcome, { status: "succeeded" }> {
  const outputChars = text.length;
  return { status: "succeeded", output, text, outputChars, isTruncated: false, attempts: 1, durationMs: 1 };
}

const plainTools: Tools = {
  describe: ({ name, description, input_schema }) => ({ name, description, inputSchema: input_schema }),
  checkInput: (_tool, inputText) => ({ ok: true, input: JSON.parse(inputText) as Record<string, unknown> }),
  run: async (tool, input) => succeeded(`${tool.name} says ${JSON.stringify(input)}`, { tool: tool.name, input }),
};

function scriptedModels(script: Script, price: NonNullable<NodeOptions["price"]> | null): Models {
  const priceOf: Models["priceOf"] = (framework, _model, usage) => {
    const each = typeof price === "number" ? price : price?.[framework];
    return each === undefined ? null : ((usage.inputTokens + usage.outputTokens) * each) / 1_000;
  };
  return {
    describe: (_framework, model) => ({
      model: model ?? "scripted",
      contextWindow: 32_000,
      hasTools: true,
      hasImages: true,
      isReasoning: false,
    }),
    maxTokens: (_framework, _model, { max_tokens: maxTokens }) => (typeof maxTokens === "number" ? maxTokens : 4_096),
    boundedFrameworks: () => [],
    priceOf,
    highestPriceOf: priceOf,
    stream: script,
  };
}

const USAGE = { inputTokens: 10, cachedInputTokens: 0, outputTokens: 5, reasoningTokens: 0, isEstimated: false };

function begin(call: ModelCall): ModelEvent {
  const attempt = { framework: call.framework, model: "scripted", attempt: 1 };
  call.attempts?.start(attempt, call.settings);
  return { type: "start", ...attempt };
}

export async function* says(call: ModelCall, ...deltas: readonly string[]): AsyncGenerator<ModelEvent> {
  yield begin(call);
  for (const delta of deltas) yield { type: "text", delta };
  yield { type: "finish", reason: "stop", usage: USAGE };
}

export async function* calls(
  call: ModelCall,
  ...tools: readonly { readonly name: string; readonly input?: unknown }[]
): AsyncGenerator<ModelEvent> {
  yield begin(call);
  for (const { name, input = {} } of tools)
    yield { type: "tool_call", call: { id: randomUUID(), name, inputText: JSON.stringify(input) } };
  yield { type: "finish", reason: "tool_calls", usage: USAGE };
}

/** Emits the deltas, then hangs until it is aborted. */
export async function* hangs(call: ModelCall, ...deltas: readonly string[]): AsyncGenerator<ModelEvent> {
  yield begin(call);
  for (const delta of deltas) yield { type: "text", delta };
  await new Promise((_, reject) => {
    const stop = (): void => reject(call.signal.reason as Error);
    if (call.signal.aborted) stop();
    else call.signal.addEventListener("abort", stop, { once: true });
  });
}

export function lastRole(call: ModelCall): string {
  return call.messages.at(-1)?.role ?? "none";
}
