// In charge of: runs in which the agents of a swarm answer: admission, strategies, turns, models, tools, streams, and their rows.
// Not in charge of: rows that users write over REST (tables), the wire format of requests (functions, http), outgoing connections (guarded-fetch).

export { type AgentModule, type AgentsOptions, openAgents } from "./open-agents.ts";
export { watchProviders } from "./providers/watch-providers.ts";
export { createProviderChecks } from "./providers/provider-checks.ts";
export { nameProviders, preferredFramework, type ProviderNames } from "./providers/name-providers.ts";
export type { DescribedProvider, ProviderChecks, ProviderTest } from "./providers/provider-checks.ts";
export { catalogueOf, describeProviders, loadProviders, type ProviderFaults } from "./providers/load-providers.ts";
export { type FoundOllama, mayDetect } from "./providers/detect-providers.ts";
export { type FoundProviders, fromStored, NOTHING_FOUND } from "./providers/resolve-providers.ts";
export { type AddedProvider, createProviderSetup, type ProviderSetup } from "./providers/provider-setup.ts";
export { type StoredKeys, unwrapKeys, wrapKey } from "./providers/stored-keys.ts";
export { removeStoredKey, selectWrappedKeys, storeWrappedKey } from "./providers/sql/wrapped-keys.ts";
export { frameworkOfKey, type GivenKey, readGivenKey, VENDORS } from "./providers/known-vendors.ts";
export { openModels } from "./providers/open-models.ts";
export type { Provider, Providers } from "./providers/provider.ts";
export { requireProtocols } from "./providers/require-protocols.ts";
export type { Adapter, AdapterCall, AdapterEvent, AdapterFault, ReportedUsage } from "./providers/adapter.ts";
export type { Deadlines } from "./providers/deadlines.ts";
export type {
  FormatTarget,
  MappedReasoning,
  ProviderPorts,
  ReasoningTarget,
  SentFormat,
  VendorProtocol,
} from "./providers/provider-protocol.ts";
export type { ReasoningEffort, ResponseFormat, SentSettings, Warn } from "./providers/setting-values.ts";
export type { StreamPace } from "./providers/stream-pace.ts";
export type { Listening, Respond, RunAnswer, StartOptions } from "./respond/open-respond.ts";
export type { RunSignal, ToolResult } from "./respond/sql/run-control.ts";
export type { GrantAnswer } from "./admission/sql/answer-grant.ts";
export type { QueuedAnswer, QueuedRun } from "./admission/queue-run.ts";
export type { RunRequest } from "./admission/run-request.ts";
export { DEFAULT_MAXIMA, readRunMaxima, type RunMaxima } from "./strategies/run-limits.ts";
export { toStoredKey } from "./admission/to-admission-call.ts";
export { findAnswerFault } from "./schemas/check-answer.ts";
export { createSchemaCompiler } from "./schemas/schema-compiler.ts";
export type { Executor } from "./execution/create-executor.ts";
export type { ImportCall } from "./tools/calls/import-remote-tools.ts";
export { createToolChecks, type ToolChecks } from "./create-tool-checks.ts";
export { toToolAnswer } from "./tools/http/read-answer.ts";
export type { ToolModule } from "./tools/open-tools.ts";
export type {
  AccountTokens,
  ToolAccounts,
  ToolAnswer,
  ToolCall,
  ToolConfigFault,
  ToolDescription,
  ToolKind,
  ToolKinds,
} from "./tools/tool-kind.ts";
export type { AccountServer, ToolAsking, ToolOutcome, ToolQuestion, ToolResponse } from "./tools/tool-port.ts";
export type {
  AuthorizationKey,
  Authorizations,
  ListedAuthorization,
  NamedServer,
  RemoteTool,
  ToolAccount,
  ToolServers,
} from "./tools/tool-servers.ts";
export type {
  ModelFinish,
  ModelImage,
  ModelMessage,
  ModelThought,
  ModelTool,
  ModelToolCall,
  ModelUsage,
  NamedImage,
} from "./providers/model-port.ts";
