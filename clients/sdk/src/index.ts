// In charge of: the interface as data and types (tables, functions, codes, events, statuses, limits, bounds), typed calls of
// functions, the streams of runs, verifyWebhook(), verifyFunctionCall(), and the signatures of requests.
// Not in charge of: tables, accounts and realtime, which supabase-js calls, and enforcing any of it.
export {
  GRANT_AUDIENCES,
  GRANT_PARTIES,
  GRANT_TRANSCRIPTS,
  type GrantAudience,
  type GrantParty,
  type GrantTranscripts,
} from "./grants.ts";
export {
  AGENT_SETTINGS,
  type AgentSettingRow,
  type JsonSchemaSettingRow,
  AGENT_STATUS_REASONS,
  AGENT_STATUSES,
  type AgentSettingName,
  type AgentSettings,
  type AgentStatus,
  type AgentStatusReason,
  type AgentVersionTool,
  FRAMEWORKS,
  type Framework,
  type NumberSettingRow,
  type TextListSettingRow,
} from "./agents.ts";
export {
  type AnswerOf,
  type AnswerSchema,
  AnswerSchemaError,
  type DeepPartial,
  type JsonSchemaObject,
  type StandardAnswerSchema,
} from "./client/answer-schema.ts";
export {
  type ClientTool,
  type ClientToolCall,
  type ClientTools,
  describeToolError,
  submitToolResults,
} from "./client/client-tools.ts";
export { API_KEY_SCOPES, type ApiKeyResources, type ApiKeyScope, SECRET_COLUMNS } from "./api-keys.ts";
export { ConnectionError, FunctionError, isFunctionError } from "./client/function-error.ts";
export type { FunctionAnswer, FunctionBody, FunctionErrorCode, FunctionName } from "./client/function-types.ts";
export type { FunctionsClient, InvokeOptions, InvokeResult } from "./client/functions-client.ts";
export { type CallOptions, invokeFunction } from "./client/invoke-function.ts";
export {
  applyRunEvent,
  beginLiveRun,
  type LiveRun,
  type LiveToolCall,
  type LiveTurn,
} from "./client/live-run.ts";
export { createRandomId } from "./client/random-id.ts";
export { parsePartialJson } from "./client/partial-json.ts";
export { listWaitingCalls, type ReadOptions, readUntilWaiting } from "./client/read-until-waiting.ts";
export { attach, type AttachOptions, respond, type RespondBody, type RespondOptions } from "./client/respond.ts";
export { type StructuredAnswer, type StructuredRun, StructuredStream } from "./client/structured-stream.ts";
export { type ReconnectOptions, RunStream, type StreamOptions } from "./client/run-stream.ts";
export type { RunStreamEvent, RunStreamEventOf } from "./client/run-stream-event.ts";
export type { Database } from "./database/database.ts";
export {
  DELIVERY_STATUSES,
  type DeliveryStatus,
  PREVIOUS_SIGNATURES_HEADER,
  RETRY_SCHEDULE_SECONDS,
  STANDARD_WEBHOOK_HEADERS,
  WEBHOOK_HEADERS,
  WEBHOOK_TOLERANCE_SECONDS,
} from "./deliveries.ts";
export {
  GUARDRAIL_ACTIONS,
  GUARDRAIL_DEFAULTS,
  GUARDRAIL_ERROR_POLICIES,
  GUARDRAIL_KINDS,
  GUARDRAIL_LIMIT,
  GUARDRAIL_STAGES,
  type GuardrailAction,
  type GuardrailConfig,
  type GuardrailErrorPolicy,
  type GuardrailKind,
  type GuardrailRequest,
  type GuardrailResponse,
  type GuardrailStage,
  type ModelGuardrailConfig,
  type PatternGuardrailConfig,
  type SchemaGuardrailConfig,
  type WebhookGuardrailConfig,
} from "./guardrails.ts";
export { ERROR_CODES, type ErrorCode, type ErrorCodeRow } from "./error-codes.ts";
export { EVAL_EXPECTATION_KINDS, EVAL_RUN_STATUSES, type EvalExpectation, type EvalRunStatus } from "./evals.ts";
export {
  API_VERSION,
  API_VERSIONS,
  EVENT_TYPES,
  EVENT_TYPES_BY_GROUP,
  type EventData,
  type EventEnvelope,
  type EventGroup,
  type EventType,
  isEventOf,
  isEventType,
  type SwarmbaseEvent,
} from "./events.ts";
export type { EventDescription } from "./event-schemas/event-description.ts";
export {
  buildEventExample,
  buildEventSchema,
  EVENT_DESCRIPTIONS,
  type EventSchema,
} from "./event-schemas/event-schemas.ts";
export type { JsonSchema } from "./event-schemas/json-schema.ts";
export { SHARED_SCHEMAS } from "./event-schemas/shared-schemas.ts";
export type * from "./event-types/agent.ts";
export type { EventDataByType } from "./event-types/by-type.ts";
export type * from "./event-types/message.ts";
export type * from "./event-types/shared.ts";
export type * from "./event-types/swarm.ts";
export type * from "./event-types/tool.ts";
export type * from "./event-types/user.ts";
export {
  AUTH_BOUNDS,
  type BoundedField,
  type BoundedTextList,
  FIELD_BOUNDS,
  type FieldBounds,
  WEBHOOK_DEFAULTS,
  WEBHOOK_LIMIT_PER_USER,
} from "./field-bounds.ts";
export type * from "./function-types/answers.ts";
export type * from "./function-types/bodies.ts";
export type * from "./function-types/run-answers.ts";
export type * from "./function-types/run-bodies.ts";
export type { FunctionTable } from "./function-types/functions.ts";
export type { RunStreamEventData } from "./function-types/stream-events.ts";
export {
  isExactPrompt,
  listPromptSeqs,
  type PromptMessage,
  type PromptPart,
  type PromptTool,
  type PromptToolCall,
  resolvePrompt,
  type SentMessage,
  type SentPrompt,
  type StoredPrompt,
} from "./prompts.ts";
export { isSameJson } from "./is-same-json.ts";
export { isUuid } from "./is-uuid.ts";
export type { Json, JsonObject } from "./json.ts";
export {
  DEFAULT_RETRY_AFTER_SECONDS,
  LIMITS,
  type LimitName,
  type LimitRow,
  RATE_LIMIT_HEADERS,
} from "./limits.ts";
export {
  MESSAGE_CONTENT_TYPES,
  MESSAGE_FLAG_SOURCES,
  MESSAGE_FLAG_STATUSES,
  MESSAGE_SENDER_TYPES,
  type MessageContentType,
  type MessageFlagSource,
  type MessageFlagStatus,
  type MessageSenderType,
} from "./messages.ts";
export {
  FINAL_RUN_STATUSES,
  type FinalRunStatus,
  isFinalRunStatus,
  RUN_STATUSES,
  RUN_STOP_REASONS,
  RUN_STREAM_EVENT_TYPES,
  type RunStatus,
  type RunStopReason,
  type RunStreamEventType,
} from "./runs.ts";
export {
  buildSignatureBase,
  createSignedFetch,
  type SignedComponent,
  type SignedFetchOptions,
} from "./sign-requests.ts";
export {
  SWARM_MEMBER_STATUSES,
  SWARM_ROLES,
  SWARM_STATUSES,
  SWARM_STRATEGIES,
  type SwarmBudget,
  type SwarmMemberStatus,
  type SwarmModeration,
  type SwarmRole,
  type SwarmSettings,
  type SwarmStatus,
  type SwarmStrategy,
} from "./swarms.ts";
export { TOOL_KINDS, TOOL_VISIBILITIES, type ToolKind, type ToolVisibility } from "./tools.ts";
export { FUNCTION_CALLER_HEADER, type FunctionCaller, verifyFunctionCall } from "./verify-function-call.ts";
export {
  type VerifyWebhookOptions,
  WEBHOOK_REFUSALS,
  type WebhookHeaders,
  type WebhookRefusal,
  WebhookVerificationError,
} from "./verify-signature.ts";
export { verifyWebhook } from "./verify-webhook.ts";
