// Written by "npm run sdk:types" from the OpenAPI document; do not edit.
import type { Framework } from "../agents.ts";
import type { ApiKeyScope } from "../api-keys.ts";
import type { EventUsage } from "../event-types/shared.ts";
import type { Json, JsonObject } from "../json.ts";
import type { MessageContentType, MessageSenderType } from "../messages.ts";
import type { FinalRunStatus, RunStatus, RunStopReason } from "../runs.ts";
import type { ToolKind, ToolVisibility } from "../tools.ts";

export interface BatchResults {
  results: {
    status: number;
    /** as the single call would have them */
    headers: JsonObject;
    /** JSON where the operation answers JSON, else text; null without a body */
    body: Json;
  }[];
  /** unknown members of the body; absent when there are none */
  warnings?: string[];
}

export interface DeletedSigningSecret {
  deleted: true;
  /** unknown members of the body; absent when there are none */
  warnings?: string[];
}

export interface EndedRun {
  run_id: string;
  swarm_id: string;
  status: FinalRunStatus;
  /** null until it has ended */
  stop_reason: RunStopReason | null;
  message: Message | null;
  responses: RunResponse[];
  errors: RunError[];
  usage: EventUsage;
  /** tool calls that wait for their agent's owner; null unless the status is `requires_action` */
  pending_approvals: PendingApproval[] | null;
  /** tool calls that wait for a result of the client; null unless the status is `requires_action` */
  pending_client_calls: PendingApproval[] | null;
  created_at: string;
  completed_at: string | null;
  /** the id of the event */
  seq: number;
}

export interface FinishedAuthorization {
  url: string;
  scope: string | null;
  /** unknown members of the body; absent when there are none */
  warnings?: string[];
}

export interface ImportedTools {
  imported: Tool[];
  skipped: {
    name: string;
    reason: string;
  }[];
  /** unknown members of the body; absent when there are none */
  warnings?: string[];
}

export interface ListedAuthorizations {
  authorizations: {
    url: string;
    scope: string | null;
    authorized: boolean;
    authorized_at: string | null;
  }[];
  /** unknown members of the body; absent when there are none */
  warnings?: string[];
}

export interface Message {
  id: string;
  swarm_id: string;
  /** its place in the swarm */
  seq: number;
  sender_type: MessageSenderType;
  sender_id: string | null;
  sender_user_id: string | null;
  sender_agent_id: string | null;
  sender_name: string;
  sender_deleted: boolean;
  /** null once it is deleted */
  content: string | null;
  content_type: MessageContentType;
  reply_to_id: string | null;
  run_id: string | null;
  turn_id: string | null;
  finish_reason: string | null;
  mentions: string[];
  metadata: JsonObject;
  client_message_id: string | null;
  edited_at: string | null;
  deleted_at: string | null;
  deleted_by: string | null;
  flagged: boolean;
  created_at: string;
  /** the value that a `response_schema` asked for; null without one */
  data: Json;
}

export interface NewApiKey {
  /** the key itself, shown this once */
  key: string;
  api_key: {
    id: string;
    user_id: string;
    name: string;
    scopes: ApiKeyScope[];
    prefix: string;
    expires_at: string | null;
    last_used_at: string | null;
    created_at: string;
  };
  /** unknown members of the body; absent when there are none */
  warnings?: string[];
}

export interface NewSigningSecret {
  new_secret: string;
  /** unknown members of the body; absent when there are none */
  warnings?: string[];
}

export interface PendingApproval {
  tool_execution_id: string;
  tool_name: string;
  agent_id: string | null;
  expires_at: string | null;
  /** the arguments; for the agent's owner, owners and admins of the swarm, and of a client call also the run's starter */
  input?: JsonObject;
  question?: ToolQuestion;
}

export interface Recovery {
  id: string;
  webhook_id: string;
  since: string;
  until: string;
  status: "running" | "completed";
  /** failed deliveries when it began */
  found: number;
  /** of them, put back into the queue */
  recovered: number;
  created_at: string;
  completed_at: string | null;
  /** unknown members of the body; absent when there are none */
  warnings?: string[];
}

export interface RemoteTool {
  name: string;
  description: string;
  input_schema: JsonObject;
}

export interface RemoteTools {
  tools: RemoteTool[];
  /** unknown members of the body; absent when there are none */
  warnings?: string[];
}

export interface ReplacedWebhookSecret {
  new_secret: string;
  previous_secret_expires_at: string | null;
  /** unknown members of the body; absent when there are none */
  warnings?: string[];
}

export interface ReplayedDeliveries {
  deliveries: {
    delivery_id: string;
    webhook_id: string;
  }[];
  /** unknown members of the body; absent when there are none */
  warnings?: string[];
}

export interface RetriedDelivery {
  success: true;
  status: "delivered";
  delivery_id: string;
  status_code: number;
  response_time_ms: number;
  response_body: string | null;
  attempts: number;
  /** unknown members of the body; absent when there are none */
  warnings?: string[];
}

export interface RevokedApiKey {
  revoked: true;
  /** unknown members of the body; absent when there are none */
  warnings?: string[];
}

export interface RevokedAuthorization {
  revoked: boolean;
  /** unknown members of the body; absent when there are none */
  warnings?: string[];
}

export interface RevokedSecrets {
  /** replaced secrets that still signed */
  revoked: number;
  /** unknown members of the body; absent when there are none */
  warnings?: string[];
}

export interface Run {
  run_id: string;
  swarm_id: string;
  status: RunStatus;
  /** null until it has ended */
  stop_reason: RunStopReason | null;
  message: Message | null;
  responses: RunResponse[];
  errors: RunError[];
  usage: EventUsage;
  /** tool calls that wait for their agent's owner; null unless the status is `requires_action` */
  pending_approvals: PendingApproval[] | null;
  /** tool calls that wait for a result of the client; null unless the status is `requires_action` */
  pending_client_calls: PendingApproval[] | null;
  created_at: string;
  completed_at: string | null;
  /** unknown members of the body; absent when there are none */
  warnings?: string[];
}

export interface RunError {
  agent_id: string | null;
  turn_id: string | null;
  code: string;
  message: string;
  retryable: boolean;
}

export interface RunResponse {
  message: Message;
  /** the value that a `response_schema` asked for; null without one */
  data: Json;
  agent_id: string | null;
  agent_name: string;
  turn_id: string;
  framework: Framework;
  model: string;
  finish_reason: string | null;
  usage: EventUsage;
  first_token_ms: number | null;
  duration_ms: number | null;
  tool_executions: {
    id: string;
    tool_name: string;
    status: string;
    duration_ms: number | null;
  }[];
  /** settings without effect, and messages that did not fit the model */
  warnings: JsonObject[];
}

export interface StartedAuthorization {
  authorization_url: string;
  state: string;
  expires_at: string;
  /** unknown members of the body; absent when there are none */
  warnings?: string[];
}

export interface TestedDelivery {
  success: boolean;
  delivery_id: string;
  /** null when there was no answer */
  status_code: number | null;
  response_time_ms: number;
  response_body: string | null;
  /** only when it failed */
  code?: "DELIVERY_FAILED";
  /** in words, when there was no answer */
  error?: string | null;
  /** unknown members of the body; absent when there are none */
  warnings?: string[];
}

export interface TestedTool {
  tool_id: string;
  success: boolean;
  status: "succeeded" | "failed" | "timed_out" | "cancelled";
  attempts: number;
  duration_ms: number;
  /** any JSON */
  output?: Json;
  output_chars?: number;
  truncated?: boolean;
  error?: {
    code: string;
    message: string;
    retryable: boolean;
  };
  /** unknown members of the body; absent when there are none */
  warnings?: string[];
}

export interface Tool {
  id: string;
  owner_id: string | null;
  /** as models call it */
  name: string;
  description: string;
  category: string | null;
  icon: string | null;
  input_schema: JsonObject;
  kind: ToolKind;
  config: JsonObject;
  visibility: ToolVisibility;
  requires_approval: boolean;
  timeout_ms: number;
  max_output_chars: number;
  max_retries: number;
  enabled: boolean;
  created_at: string;
  updated_at: string;
  /** names alone; what they stand for is never shown */
  secret_names: string[];
}

/** what the tool asks; absent when the call itself waits. For those who see `input` */
export interface ToolQuestion {
  id: string;
  message: string;
  /** a JSON Schema of the answer */
  schema: JsonObject;
}
