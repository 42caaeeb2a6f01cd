import { AGENT_GRANTS } from "./agent-grants.ts";
import { AGENT_RESPOND } from "./agent-respond.ts";
import { API_KEYS } from "./api-keys.ts";
import { BATCH } from "./batch.ts";
import { EVENTS } from "./events.ts";
import type { FunctionDescription } from "./function-call.ts";
import { INVITATIONS } from "./invitations.ts";
import { REQUEST_SIGNING } from "./request-signing.ts";
import { TEST_WEBHOOK } from "./test-webhook.ts";
import { TOOLS } from "./tools.ts";
import { WEBHOOK_DISPATCHER } from "./webhook-dispatcher.ts";
import { WEBHOOKS } from "./webhooks.ts";

/** All functions under `/functions/v1/`. */
export const FUNCTION_TABLE: readonly FunctionDescription[] = [
  AGENT_RESPOND,
  AGENT_GRANTS,
  BATCH,
  TOOLS,
  EVENTS,
  WEBHOOKS,
  TEST_WEBHOOK,
  WEBHOOK_DISPATCHER,
  REQUEST_SIGNING,
  API_KEYS,
  INVITATIONS,
];
