import type { GuardedFetch } from "@swarmbase/guarded-fetch";
import type { Framework } from "@swarmbase/sdk";
import type { Environment, Settings } from "../config/index.ts";
import type { Claims, Database } from "../db/index.ts";
import type { Commits, Worker } from "../jobs/index.ts";
import type { Observer, TraceSource } from "../observe/index.ts";
import type { Clock } from "../time/index.ts";
import { createCalibration } from "./providers/estimate-tokens.ts";
import type { WebhookPorts } from "./guardrails/ask-webhook.ts";
import { openGuardrails } from "./guardrails/open-guardrails.ts";
import { type OpenedModels, openModels, type OpenModelsOptions } from "./providers/open-models.ts";
import { answerGrant, type GrantAnswer } from "./admission/sql/answer-grant.ts";
import { openRespond, type Respond } from "./respond/open-respond.ts";
import {
  createExecutor,
  type Executor,
  type ExecutorOptions,
  type ExecutorTimes,
} from "./execution/create-executor.ts";
import type { RunPorts, SummaryModel } from "./run/live-run.ts";
import { createStreamHub } from "./streams/stream-hub.ts";
import { countLiveRuns } from "./execution/sql/manage-runs.ts";
import { createSchemaCompiler } from "./schemas/schema-compiler.ts";
import { openTools, type ToolModule } from "./tools/open-tools.ts";
import { openStarters } from "./tools/starters.ts";
import { readRunMaxima } from "./strategies/run-limits.ts";
import type { ToolKinds } from "./tools/tool-kind.ts";
import { RunTracing } from "./tracing.ts";

export interface AgentsOptions {
  readonly settings: Settings;
  readonly environment?: Environment;
  readonly providers?: NonNullable<OpenModelsOptions["providers"]>;
  readonly database: Pick<Database, "service">;
  /** The URL of the database without a pooler; null means that nodes find runs only by polling. */
  readonly listenUrl: string | null;
  /** The database as the owner of the schema; null or absent: old events are deleted one by one, and partitions stay. */
  readonly ownerUrl?: string | null;
  /** Has no address policy: providers are configured by the operator. */
  readonly providerFetch: OpenModelsOptions["fetch"];
  /** For tools; applies the address policy of webhooks. */
  readonly guarded: Pick<GuardedFetch, "fetch">;
  /** Decrypts the secrets of tools; 32 bytes, derived from the master key. */
  readonly toolKey: Buffer;
  /** Signs for whom HTTP tools are called; 32 bytes, derived from the master key. */
  readonly identityKey: Buffer;
  /** The public URL of the service. */
  baseUrl(): string;
  /** The kinds of providers in addition to the simulated one. */
  readonly protocols: OpenModelsOptions["protocols"];
  /** Kinds of tools in addition to those of the core. */
  readonly toolKinds?: ToolKinds;
  readonly observer: Observer;
  readonly clock: Clock;
  readonly random: () => number;
  newId(): string;
  /** Identifies this process as the holder of leases; by default a new id. */
  readonly node?: string | undefined;
  readonly charge: RunPorts["charge"] & {
    /** Of a run that no call starts. Throws when the user has reached the rate limit. */
    start(userId: string): Promise<void>;
  };
  /** Signs the requests of guardrails. */
  readonly signRequest: WebhookPorts["sign"];
  /** The claims with which tools act for a person, as a token would have them. Default: those of the account. */
  customizeClaims?(claims: Claims): Promise<Claims>;
  /** Called when a commit may have raised events. */
  onEvents(): void;
  /** Called when a transaction on any node has woken an extension; null means that any may have been woken. */
  onExtension?(name: string | null): void;
  readonly commits?: Commits;
  readonly times?: Partial<ExecutorTimes>;
  /** Null or absent: spans go to the tracer that the process has registered, if any. */
  readonly traceSource?: TraceSource | null;
}

export interface AgentModule {
  /** Takes over the runs of a node that was lost. */
  releaseNode(node: string): Promise<void>;
  readonly respond: Respond;
  /** Answers a grant for the user whom it names. */
  answerGrant(given: GrantAnswer): ReturnType<typeof answerGrant>;
  readonly executor: Executor;
  readonly models: OpenedModels;
  readonly tools: ToolModule;
  readonly workers: readonly Worker[];
  /** Those of every node, also of one that executes no runs. */
  readonly nodeWorkers: readonly Worker[];
  countLiveRuns(): Promise<readonly { status: string; count: number }[]>;
  /** Ends streams. Must be called after the workers have stopped. */
  close(): void;
}

/** How many compiled schemas are cached. */
const MAX_SCHEMAS = 500;
const HOURS_PER_DAY = 24;

export function openAgents(options: AgentsOptions): AgentModule {
  const { settings, environment, providers, protocols, clock, random, observer, newId, onEvents } = options;
  const pool = options.database.service;
  const streamHub = createStreamHub();
  const fetch = options.providerFetch;
  const models = openModels({ settings, fetch, clock, random, observer, environment, providers, protocols });
  const schemas = createSchemaCompiler({ maxKept: MAX_SCHEMAS });
  const tools = openTools({
    schemas,
    guarded: options.guarded,
    pool,
    key: options.toolKey,
    identityKey: options.identityKey,
    baseUrl: options.baseUrl,
    clock,
    observer,
    newId,
    ...(options.toolKinds !== undefined && { kinds: options.toolKinds }),
  });
  const ports = openPorts(options, { streamHub, models, schemas, tools });
  const { executor, workers, nodeWorkers, countRuns, releaseOwner } = openExecutor(options, ports);
  const respond = openRespond({
    pool,
    streamHub,
    executor,
    models,
    schemas,
    queueLimit: settings.agentQueueLimit,
    queueWaitMs: settings.agentQueueTimeoutMs,
    streamLimitPerUser: settings.agentStreamsPerUser,
    newId,
    countRuns,
    onEvents,
    chargeStart: (userId) => options.charge.start(userId),
  });
  return {
    respond,
    answerGrant: (given) => answerGrant(pool, given),
    executor,
    models,
    tools,
    workers,
    nodeWorkers,
    releaseNode: releaseOwner,
    countLiveRuns: () => countLiveRuns(pool),
    close: () => respond.close(),
  };
}

type Ports = ExecutorOptions["ports"];

interface OpenedParts extends Pick<Ports, "streamHub" | "schemas" | "tools"> {
  readonly models: OpenedModels;
}

/** What the execution of runs needs, of which `parts` serve calls of clients, too. */
function openPorts(options: AgentsOptions, parts: OpenedParts): Ports {
  const { settings, database, guarded, observer, clock, newId, onEvents, charge, customizeClaims } = options;
  const { schemas, models } = parts;
  const pool = database.service;
  return {
    ...parts,
    pool,
    starters: openStarters({
      pool,
      clock,
      inactivitySeconds: settings.authSessionIdleTtlSeconds,
      isAal2Required: settings.authMfaEnforce,
      ...(customizeClaims !== undefined && { customizeClaims }),
    }),
    guardrails: openGuardrails({ schemas, guarded, clock, newId, sign: options.signRequest }),
    observer,
    clock,
    newId,
    onEvents,
    charge,
    calibration: createCalibration(),
    tracing: new RunTracing({
      captureContent: settings.otelInstrumentationGenaiCaptureMessageContent === true,
      source: options.traceSource ?? null,
      identify: (framework) => models.identify(framework),
    }),
    maxima: readRunMaxima(settings),
    maxWaitingRuns: settings.agentWaitingRunsPerUser,
    summaryModel: readSummaryModel(settings.agentSummaryModel),
    approvalTtlMs: settings.agentApprovalTtlSeconds * 1_000,
    clientToolTtlMs: settings.agentClientToolTtlSeconds * 1_000,
    toolConcurrency: settings.agentToolConcurrency,
  };
}

function openExecutor(options: AgentsOptions, ports: Ports): ReturnType<typeof createExecutor> {
  const { settings, listenUrl, random, commits, times } = options;
  return createExecutor({
    ports,
    owner: options.node ?? options.newId(),
    concurrency: settings.agentRunConcurrency,
    providerSharePercent: settings.agentProviderSharePercent,
    userSharePercent: settings.agentUserSharePercent,
    leaseMs: settings.agentRunLeaseSeconds * 1_000,
    eventRetentionHours: settings.runEventsRetentionDays * HOURS_PER_DAY,
    modelCallRetentionHours: settings.modelCallsRetentionDays * HOURS_PER_DAY,
    stopTimeoutMs: settings.agentRunStopTimeoutMs,
    listenUrl,
    ownerUrl: options.ownerUrl ?? null,
    random,
    onExtension: (name) => options.onExtension?.(name),
    commits,
    ...(times !== undefined && { times }),
  });
}

/** The setting is `off`, or a framework and its model. */
function readSummaryModel(setting: string | null): SummaryModel | null {
  if (setting === null || setting === "off") return setting;
  const [framework = "", ...model] = setting.split("/");
  return { framework: framework as Framework, model: model.join("/") };
}
