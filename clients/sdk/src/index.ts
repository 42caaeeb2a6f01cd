// In charge of: the interface as data and types (tables, functions, codes, events, statuses, limits, bounds), typed calls of
// functions, the streams of runs, verifyWebhook(), verifyFunctionCall(), verifyToolCall(), and the signatures of requests.
// Not in charge of: tables, accounts and realtime, which supabase-js calls, and enforcing any of it.

// Everything that these files export is part of the interface.
export * from "./agents.ts";
export * from "./api-keys.ts";
export * from "./deliveries.ts";
export * from "./error-codes.ts";
export * from "./evals.ts";
export * from "./events.ts";
export * from "./field-bounds.ts";
export * from "./grants.ts";
export * from "./guardrails.ts";
export * from "./limits.ts";
export * from "./messages.ts";
export * from "./prompts.ts";
export * from "./runs.ts";
export type * from "./schedules.ts";
export * from "./swarms.ts";
export * from "./tool-calls.ts";
export * from "./tools.ts";

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
export { emit, type EmitOptions, type NewAppEvent } from "./client/emit.ts";
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
  type ToolWait,
} from "./client/live-run.ts";
export { signal } from "./client/signal.ts";
export { createRandomId } from "./client/random-id.ts";
export { parsePartialJson } from "./client/parse-partial-json.ts";
export { listWaitingCalls, type ReadOptions, readUntilWaiting } from "./client/read-until-waiting.ts";
export { attach, type AttachOptions, respond, type RespondBody, type RespondOptions } from "./client/respond.ts";
export { type StructuredAnswer, type StructuredRun, StructuredStream } from "./client/structured-stream.ts";
export { type ReconnectOptions, RunStream, type StreamOptions } from "./client/run-stream.ts";
export type { RunStreamEvent, RunStreamEventOf } from "./client/run-stream-event.ts";
export type { Database } from "./database/database.ts";
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
export type * from "./function-types/answers.ts";
export type * from "./function-types/bodies.ts";
export type * from "./function-types/run-answers.ts";
export type * from "./function-types/run-bodies.ts";
export type * from "./function-types/tool-bodies.ts";
export type { FunctionTable } from "./function-types/functions.ts";
export type { RunStreamEventData } from "./function-types/stream-events.ts";
export { isSameJson } from "./is-same-json.ts";
export { isUuid } from "./is-uuid.ts";
export type { Json, JsonObject } from "./json.ts";
export {
  buildSignatureBase,
  createSignedFetch,
  type SignedComponent,
  type SignedFetchOptions,
} from "./sign-requests.ts";
export { FUNCTION_CALLER_HEADER, type FunctionCaller, verifyFunctionCall } from "./verify-function-call.ts";
export {
  type VerifyWebhookOptions,
  WEBHOOK_REFUSALS,
  type WebhookHeaders,
  type WebhookRefusal,
  WebhookVerificationError,
} from "./verify-signature.ts";
export {
  TOOL_CALL_REFUSALS,
  type ToolCallKeys,
  type ToolCallRefusal,
  type ToolCallRequest,
  ToolCallVerificationError,
  verifyToolCall,
  type VerifyToolCallOptions,
} from "./verify-tool-call.ts";
export { verifyWebhook } from "./verify-webhook.ts";
