// Written by "npm run generate -- sdk-types" from the OpenAPI document; do not edit.
import type { Framework } from "../agents.ts";
import type { EventUsage } from "../event-types/shared.ts";
import type { GrantParty } from "../grants.ts";
import type { Json, JsonObject } from "../json.ts";
import type { MessageContentType, MessageSenderType } from "../messages.ts";
import type { FinalRunStatus, RunStatus, RunStopReason } from "../runs.ts";
import type { ToolKind, ToolVisibility } from "../tools.ts";

export interface EndedRun {
  run_id: string;
  swarm_id: string;
  status: FinalRunStatus;
  /** null until the run has ended */
  stop_reason: RunStopReason | null;
  message: Message | null;
  responses: RunResponse[];
  errors: RunError[];
  /** null when the owner of an agent pays for whoever asks it */
  usage: EventUsage | null;
  /** tool calls that wait for an approval; null unless the status is `requires_action` */
  pending_approvals: PendingApproval[] | null;
  /** tool calls that wait for a result of the client; null unless the status is `requires_action` */
  pending_client_calls: PendingClientCall[] | null;
  /** tool calls that wait for a time or a signal; null without any */
  pending_waits: PendingWait[] | null;
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
    /** asker: an account that the user has connected */
    account: GrantParty;
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
  /** its number in the swarm */
  seq: number;
  sender_type: MessageSenderType;
  sender_id: string | null;
  sender_user_id: string | null;
  sender_agent_id: string | null;
  sender_name: string;
  sender_deleted: boolean;
  /** null after the message was deleted */
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
  /** the value of an answer with a `response_schema`; null without one */
  data: Json;
}

export interface PendingApproval {
  tool_execution_id: string;
  tool_name: string;
  agent_id: string | null;
  expires_at: string | null;
  /** the arguments; for whoever decides, and for owners and admins of the swarm */
  input?: JsonObject;
  question?: ToolQuestion;
}

export interface PendingClientCall {
  tool_execution_id: string;
  tool_name: string;
  agent_id: string | null;
  expires_at: string | null;
  /** the arguments; for the user who started the run, the agent's owner, and owners and admins of the swarm */
  input?: JsonObject;
}

export interface PendingWait {
  tool_execution_id: string;
  tool_name: string;
  agent_id: string | null;
  /** an event: a signal ends the wait; a sub-task: its end does */
  kind: "time" | "event" | "sub_task";
  /** when the wait ends by itself; null for a sub-task */
  until: string | null;
  /** with `event`: the name of the signal */
  name?: string;
  /** with `event`: who may send the signal */
  from?: "starter" | "members";
  /** with `sub_task`: it is executed; false while it waits for somebody or something itself */
  is_at_work?: boolean;
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

export interface RevokedAuthorization {
  revoked: boolean;
  /** unknown members of the body; absent when there are none */
  warnings?: string[];
}

export interface Run {
  run_id: string;
  swarm_id: string;
  status: RunStatus;
  /** null until the run has ended */
  stop_reason: RunStopReason | null;
  message: Message | null;
  responses: RunResponse[];
  errors: RunError[];
  /** null when the owner of an agent pays for whoever asks it */
  usage: EventUsage | null;
  /** tool calls that wait for an approval; null unless the status is `requires_action` */
  pending_approvals: PendingApproval[] | null;
  /** tool calls that wait for a result of the client; null unless the status is `requires_action` */
  pending_client_calls: PendingClientCall[] | null;
  /** tool calls that wait for a time or a signal; null without any */
  pending_waits: PendingWait[] | null;
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
  /** the value of an answer with a `response_schema`; null without one */
  data: Json;
  agent_id: string | null;
  agent_name: string;
  turn_id: string;
  /** null for an agent that the caller asks by a grant */
  framework: Framework | null;
  /** null for an agent that the caller asks by a grant */
  model: string | null;
  finish_reason: string | null;
  /** null when the owner of an agent pays for whoever asks it */
  usage: EventUsage | null;
  first_token_ms: number | null;
  duration_ms: number | null;
  tool_executions: {
    id: string;
    tool_name: string;
    status: string;
    duration_ms: number | null;
  }[];
  /** settings without effect, and messages that did not fit into the context of the model */
  warnings: JsonObject[];
}

export interface StartedAuthorization {
  authorization_url: string;
  state: string;
  expires_at: string;
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
  /** the name for models */
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
  idempotent: boolean;
  enabled: boolean;
  created_at: string;
  updated_at: string;
  /** the names; the values are never shown */
  secret_names: string[];
  /** the service role wrote the definition last */
  is_vouched: boolean;
}

/** the question of the tool; absent when the call itself waits. For users who see `input` */
export interface ToolQuestion {
  id: string;
  message: string;
  /** a JSON Schema of the answer */
  schema: JsonObject;
  /** answered by a sign-in alone; absent: a form */
  kind?: "connect";
  /** with `connect`: where the user signs in, for some minutes */
  url?: string;
  /** with `connect`: whose account it is */
  server?: {
    protocol: "http" | "mcp";
    url: string;
  };
  /** with `connect`: the same for all calls that one sign-in continues */
  connection_id?: string;
}
