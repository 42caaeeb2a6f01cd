// In charge of: the functions under `/functions/v1/`, one file per name, and parsing their bodies.
// Not in charge of: the work itself, which belongs to the modules below.
export { createAgentGrants } from "./agent-grants.ts";
export { createAgentRespond } from "./agent-respond.ts";
export { createApiKeys } from "./api-keys.ts";
export { createBatch } from "./batch.ts";
export { createEvents, type EventPorts } from "./events.ts";
export { createInvitations } from "./invitations.ts";
export { createRequestSigning } from "./request-signing.ts";
export { createTestWebhook } from "./test-webhook.ts";
export { createTools } from "./tools.ts";
export { createWebhookDispatcher } from "./webhook-dispatcher.ts";
export { createWebhooks } from "./webhooks.ts";
export type {
  FunctionResponse,
  FunctionCall,
  FunctionDescription,
  NamedFunction,
} from "./function-call.ts";
export { FUNCTION_TABLE } from "./function-table.ts";
