// In charge of: runs in which the agents of a swarm answer: admission, strategies, turns, models, tools, streams, and their rows.
// Not in charge of: rows that users write over REST (tables), the wire format of requests (functions, http), outgoing connections (guarded-fetch).

export { type AgentModule, type AgentsOptions, openAgents } from "./open-agents.ts";
export { type ProvidersFileOptions, watchProvidersFile } from "./providers/watch-providers-file.ts";
export { createProviderChecks } from "./providers/provider-checks.ts";
export { nameProviders, type ProviderNames } from "./providers/name-providers.ts";
export type { DescribedProvider, ProviderChecks, ProviderTest } from "./providers/provider-checks.ts";
export { catalogueOf, describeProviders, loadProviders } from "./providers/load-providers.ts";
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
export type { ToolResult } from "./respond/sql/run-control.ts";
export type { GrantAnswer } from "./admission/sql/answer-grant.ts";
export type { RunRequest } from "./admission/run-request.ts";
export { findAnswerFault } from "./schemas/check-answer.ts";
export type { Executor } from "./execution/create-executor.ts";
export type { ImportCall } from "./tools/calls/import-remote-tools.ts";
export { createToolChecks, type ToolChecks } from "./create-tool-checks.ts";
export { readAnswer } from "./tools/http/read-answer.ts";
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
} from "./providers/model-port.ts";
