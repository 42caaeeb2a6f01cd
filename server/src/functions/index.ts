// In charge of: what stands under `/functions/v1/`, one file per name, and reading their bodies.
// Not in charge of: the work itself, which belongs to the rooms below.
export { createAgentRespond } from "./agent-respond.ts";
export { createBatch } from "./batch.ts";
export { createRequestSigning } from "./request-signing.ts";
export { createTestWebhook } from "./test-webhook.ts";
export { createTools } from "./tools.ts";
export { createWebhookDispatcher } from "./webhook-dispatcher.ts";
export { createWebhooks } from "./webhooks.ts";
export type {
  FunctionAnswer,
  FunctionCall,
  FunctionDescription,
  NamedFunction,
  StreamedAnswer,
} from "./function-call.ts";
export { FUNCTION_TABLE } from "./function-table.ts";
