import {
  FRAMEWORKS,
  MESSAGE_CONTENT_TYPES,
  MESSAGE_SENDER_TYPES,
  RUN_STATUSES,
  RUN_STOP_REASONS,
  TOOL_KINDS,
  TOOL_VISIBILITIES,
} from "@swarmbase/sdk";
import type { Schema } from "../openapi/document.ts";
import {
  ANY_OBJECT,
  answered,
  COUNT,
  COUNT_OR_NULL,
  describe,
  listOf,
  record,
  TEXT,
  TEXT_OR_NULL,
  TIME,
  TIME_OR_NULL,
  TRUTH,
  UUID,
  UUID_OR_NULL,
} from "./schema-parts.ts";

const DATA: Schema = { description: "the value of an answer with a `response_schema`; null without one" };
const USAGE: Schema = {
  description: "null when the owner of an agent pays for whoever asks it",
  anyOf: [{ $ref: "#/components/schemas/EventUsage" }, { type: "null" }],
};

export const RUN_MEMBERS: Readonly<Record<string, Schema>> = {
  run_id: UUID,
  swarm_id: UUID,
  status: { type: "string", enum: RUN_STATUSES },
  stop_reason: {
    type: ["string", "null"],
    enum: [...RUN_STOP_REASONS, null],
    description: "null until the run has ended",
  },
  message: { anyOf: [{ $ref: "#/components/schemas/Message" }, { type: "null" }] },
  responses: listOf({ $ref: "#/components/schemas/RunResponse" }),
  errors: listOf({ $ref: "#/components/schemas/RunError" }),
  usage: USAGE,
  pending_approvals: {
    description: "tool calls that wait for an approval; null unless the status is `requires_action`",
    anyOf: [listOf({ $ref: "#/components/schemas/PendingApproval" }), { type: "null" }],
  },
  pending_client_calls: {
    description: "tool calls that wait for a result of the client; null unless the status is `requires_action`",
    anyOf: [listOf({ $ref: "#/components/schemas/PendingClientCall" }), { type: "null" }],
  },
  pending_waits: {
    description: "tool calls that wait for a time or a signal; null without any",
    anyOf: [listOf({ $ref: "#/components/schemas/PendingWait" }), { type: "null" }],
  },
  created_at: TIME,
  completed_at: TIME_OR_NULL,
};

export const WAIT_MEMBERS: Readonly<Record<string, Schema>> = {
  tool_execution_id: UUID,
  tool_name: TEXT,
  agent_id: UUID_OR_NULL,
  kind: {
    type: "string",
    enum: ["time", "event", "sub_task"],
    description: "an event: a signal ends the wait; a sub-task: its end does",
  },
  until: describe(TIME_OR_NULL, "when the wait ends by itself; null for a sub-task"),
};

export const SIGNAL_MEMBERS: Readonly<Record<string, Schema>> = {
  name: describe(TEXT, "with `event`: the name of the signal"),
  from: { type: "string", enum: ["starter", "members"], description: "with `event`: who may send the signal" },
};

export const RUN_SCHEMAS: Readonly<Record<string, Schema>> = {
  Message: record({
    id: UUID,
    swarm_id: UUID,
    seq: describe(COUNT, "its number in the swarm"),
    sender_type: { type: "string", enum: MESSAGE_SENDER_TYPES },
    sender_id: UUID_OR_NULL,
    sender_user_id: UUID_OR_NULL,
    sender_agent_id: UUID_OR_NULL,
    sender_name: TEXT,
    sender_deleted: TRUTH,
    content: describe(TEXT_OR_NULL, "null after the message was deleted"),
    content_type: { type: "string", enum: MESSAGE_CONTENT_TYPES },
    reply_to_id: UUID_OR_NULL,
    run_id: UUID_OR_NULL,
    turn_id: UUID_OR_NULL,
    finish_reason: TEXT_OR_NULL,
    mentions: listOf(UUID),
    metadata: ANY_OBJECT,
    client_message_id: TEXT_OR_NULL,
    edited_at: TIME_OR_NULL,
    deleted_at: TIME_OR_NULL,
    deleted_by: UUID_OR_NULL,
    flagged: TRUTH,
    created_at: TIME,
    data: DATA,
  }),
  Run: answered(RUN_MEMBERS),
  RunError: record({ agent_id: UUID_OR_NULL, turn_id: UUID_OR_NULL, code: TEXT, message: TEXT, retryable: TRUTH }),
  PendingApproval: record(
    { tool_execution_id: UUID, tool_name: TEXT, agent_id: UUID_OR_NULL, expires_at: TIME_OR_NULL },
    {
      input: describe(ANY_OBJECT, "the arguments; for whoever decides, and for owners and admins of the swarm"),
      question: { $ref: "#/components/schemas/ToolQuestion" },
    },
  ),
  PendingWait: record(WAIT_MEMBERS, {
    ...SIGNAL_MEMBERS,
    is_at_work: describe(
      TRUTH,
      "with `sub_task`: it is executed; false while it waits for somebody or something itself",
    ),
  }),
  PendingClientCall: record(
    { tool_execution_id: UUID, tool_name: TEXT, agent_id: UUID_OR_NULL, expires_at: TIME_OR_NULL },
    {
      input: describe(
        ANY_OBJECT,
        "the arguments; for the user who started the run, the agent's owner, and owners and admins of the swarm",
      ),
    },
  ),
  ToolQuestion: describe(
    record(
      { id: TEXT, message: TEXT, schema: describe(ANY_OBJECT, "a JSON Schema of the answer") },
      {
        kind: { type: "string", enum: ["connect"], description: "answered by a sign-in alone; absent: a form" },
        url: describe(TEXT, "with `connect`: where the user signs in, for some minutes"),
        server: describe(
          record({ protocol: { type: "string", enum: ["http", "mcp"] }, url: TEXT }),
          "with `connect`: whose account it is",
        ),
        connection_id: describe(UUID, "with `connect`: the same for all calls that one sign-in continues"),
      },
    ),
    "the question of the tool; absent when the call itself waits. For users who see `input`",
  ),
  RunResponse: record({
    message: { $ref: "#/components/schemas/Message" },
    data: DATA,
    agent_id: UUID_OR_NULL,
    agent_name: TEXT,
    turn_id: UUID,
    framework: {
      type: ["string", "null"],
      enum: [...FRAMEWORKS, null],
      description: "null for an agent that the caller asks by a grant",
    },
    model: describe(TEXT_OR_NULL, "null for an agent that the caller asks by a grant"),
    finish_reason: TEXT_OR_NULL,
    usage: USAGE,
    first_token_ms: COUNT_OR_NULL,
    duration_ms: COUNT_OR_NULL,
    tool_executions: listOf(record({ id: UUID, tool_name: TEXT, status: TEXT, duration_ms: COUNT_OR_NULL })),
    warnings: describe(
      listOf(ANY_OBJECT),
      "settings without effect, and messages that did not fit into the context of the model",
    ),
  }),
  Tool: record({
    id: UUID,
    owner_id: UUID_OR_NULL,
    name: describe(TEXT, "the name for models"),
    description: TEXT,
    category: TEXT_OR_NULL,
    icon: TEXT_OR_NULL,
    input_schema: ANY_OBJECT,
    kind: { type: "string", enum: TOOL_KINDS },
    config: ANY_OBJECT,
    visibility: { type: "string", enum: TOOL_VISIBILITIES },
    requires_approval: TRUTH,
    timeout_ms: COUNT,
    max_output_chars: COUNT,
    max_retries: COUNT,
    idempotent: TRUTH,
    enabled: TRUTH,
    created_at: TIME,
    updated_at: TIME,
    secret_names: describe(listOf(TEXT), "the names; the values are never shown"),
    is_vouched: describe(TRUTH, "the service role wrote the definition last"),
  }),
  RemoteTool: record({ name: TEXT, description: TEXT, input_schema: ANY_OBJECT }),
  RemoteTools: answered({ tools: listOf({ $ref: "#/components/schemas/RemoteTool" }) }),
  ImportedTools: answered({
    imported: listOf({ $ref: "#/components/schemas/Tool" }),
    skipped: listOf(record({ name: TEXT, reason: TEXT })),
  }),
  StartedAuthorization: answered({ authorization_url: TEXT, state: TEXT, expires_at: TIME }),
  FinishedAuthorization: answered({ url: TEXT, scope: { type: ["string", "null"] } }),
  ListedAuthorizations: answered({
    authorizations: listOf(
      record({
        url: TEXT,
        account: {
          type: "string",
          enum: ["owner", "asker"],
          description: "asker: an account that the user has connected",
        },
        scope: { type: ["string", "null"] },
        authorized: TRUTH,
        authorized_at: { type: ["string", "null"] },
      }),
    ),
  }),
  RevokedAuthorization: answered({ revoked: TRUTH }),
  TestedTool: answered(
    {
      tool_id: UUID,
      success: TRUTH,
      status: { type: "string", enum: ["succeeded", "failed", "timed_out", "cancelled"] },
      attempts: COUNT,
      duration_ms: COUNT,
    },
    {
      output: { description: "any JSON" },
      output_chars: COUNT,
      truncated: TRUTH,
      error: record({ code: TEXT, message: TEXT, retryable: TRUTH }),
    },
  ),
  BatchResults: answered({
    results: listOf(
      record({
        status: { type: "integer" },
        headers: describe(ANY_OBJECT, "the headers of the single request"),
        body: { description: "JSON if the operation returns JSON, otherwise text; null without a body" },
      }),
    ),
  }),
};
