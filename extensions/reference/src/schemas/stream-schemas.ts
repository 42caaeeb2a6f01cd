import {
  AGENT_STATUS_REASONS,
  AGENT_STATUSES,
  FINAL_RUN_STATUSES,
  FRAMEWORKS,
  type RunStreamEventType,
  SUMMARY_FAULTS,
} from "@swarmbase/sdk";
import type { Schema } from "../openapi/document.ts";
import { RUN_MEMBERS, SIGNAL_MEMBERS, WAIT_MEMBERS } from "./run-schemas.ts";
import {
  ANY_OBJECT,
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

type Properties = Readonly<Record<string, Schema>>;

const FAULT: Schema = { $ref: "#/components/schemas/EventFault" };
const USAGE: Schema = { anyOf: [{ $ref: "#/components/schemas/EventUsage" }, { type: "null" }] };
const MESSAGE: Schema = { $ref: "#/components/schemas/Message" };
const QUESTION: Schema = { $ref: "#/components/schemas/ToolQuestion" };
const INPUT: Schema = { description: "the arguments; for the agent's owner and for owners and admins of the swarm" };
const SEQ = describe(COUNT, "the id of the event");
/** Ended and ending tool calls. A call of the database is never `pending_approval`, `pending_client`, `waiting` or `running` in these events. */
const TOOL_ENDS = ["succeeded", "failed", "denied", "timed_out", "cancelled"];

const DELTA = { turn_id: UUID, message_id: UUID };
const TOOL = { tool_execution_id: UUID, turn_id: UUID, agent_id: UUID_OR_NULL, tool_name: TEXT };

function ofRun(properties: Properties, optional: Properties = {}): Schema {
  return record({ run_id: UUID, swarm_id: UUID, ...properties, seq: SEQ }, optional);
}

function endedTool(status: Schema, further: Properties = {}): Schema {
  return ofRun(
    {
      ...TOOL,
      tool_id: describe(UUID_OR_NULL, "null for tools of a strategy or of the call, and after the tool was deleted"),
      status,
      duration_ms: COUNT_OR_NULL,
      truncated: describe(TRUTH, "the output was longer than the tool allows"),
      ...further,
    },
    { input: INPUT, output_preview: describe(TEXT_OR_NULL, "the first 2,000 characters, for users who see `input`") },
  );
}

const END: Schema = { $ref: "#/components/schemas/EndedRun" };

/** The data of each event of the stream of a run. */
const DATA_BY_TYPE: Readonly<Record<RunStreamEventType, Schema>> = {
  "message.created": ofRun(
    { message_id: UUID, message: MESSAGE },
    { turn_id: describe(UUID, "absent for the message that started the run") },
  ),
  "context.shortened": ofRun({
    turn_id: UUID,
    agent_id: UUID_OR_NULL,
    message_count: describe(COUNT, "messages that the agent reads neither as they are nor in a summary"),
    reason: {
      type: ["string", "null"],
      enum: [...SUMMARY_FAULTS, null],
      description: "why no summary of them could be made; null for whoever asks by a grant",
    },
  }),
  "run.queued": ofRun({
    status: { type: "string", const: "queued" },
    position: describe(COUNT, "the position in the queue of the swarm"),
  }),
  "run.started": ofRun({
    status: { type: "string", const: "running" },
    is_resumed: describe(TRUTH, "the run continues: it has waited, or continues on another node"),
  }),
  "turn.started": ofRun(
    {
      turn_id: UUID,
      message_id: describe(UUID, "the id of the reply"),
      agent_id: UUID,
      agent_name: TEXT,
      model: describe(TEXT_OR_NULL, "null for an agent that the caller asks by a grant"),
    },
    {
      asked: describe(
        record({ by_agent_id: UUID, by_agent_name: TEXT, message: TEXT }),
        "what the coordinator asks the agent, with the strategy `supervisor`",
      ),
    },
  ),
  "turn.restarted": ofRun({
    ...DELTA,
    agent_id: UUID_OR_NULL,
    reason: { type: "string", const: "worker_lost", description: "the node that executed the turn was lost" },
    text: describe(TEXT, "replaces the text of the reply so far; mostly empty"),
  }),
  "turn.completed": ofRun(
    {
      turn_id: UUID,
      agent_id: UUID_OR_NULL,
      agent_name: TEXT,
      status: { type: "string", enum: ["completed", "failed", "cancelled"] },
      finish_reason: TEXT_OR_NULL,
      usage: USAGE,
      warnings: listOf(ANY_OBJECT),
    },
    {
      handoff: describe(
        record({ agent_id: UUID, agent_name: TEXT, reason: TEXT }),
        "the agent that goes on, and why, with the strategy `handoff`",
      ),
    },
  ),
  "agent.status_changed": ofRun({
    agent_id: UUID_OR_NULL,
    status: { type: "string", enum: AGENT_STATUSES },
    previous_status: { type: "string", enum: AGENT_STATUSES },
    reason: { type: "string", enum: AGENT_STATUS_REASONS },
    changed_at: TIME,
  }),
  "agent.error": ofRun({
    agent_id: UUID_OR_NULL,
    turn_id: UUID,
    error: FAULT,
    attempts: describe(COUNT, "number of calls to the provider"),
    framework: { type: ["string", "null"], enum: [...FRAMEWORKS, null] },
    model: TEXT_OR_NULL,
  }),
  "message.delta": ofRun({ ...DELTA, delta: describe(TEXT, "the next piece of the reply") }),
  "message.reset": ofRun({
    ...DELTA,
    agent_id: UUID_OR_NULL,
    reason: {
      type: "string",
      enum: ["tool_calls", "repair"],
      description: "the text before tool calls is not part of a structured answer, or the answer has to be repaired",
    },
    error: describe(TEXT_OR_NULL, "why the answer does not satisfy the `response_schema`; null for `tool_calls`"),
  }),
  "reasoning.delta": ofRun(DELTA, {
    delta: describe(TEXT, "the next piece; for the agent's owner and for owners and admins of the swarm"),
  }),
  "tool.started": ofRun(TOOL, { input: INPUT }),
  "tool.approval_required": ofRun({ ...TOOL, expires_at: TIME_OR_NULL }, { input: INPUT, question: QUESTION }),
  "tool.client_call": ofRun(
    { ...TOOL, user_id: describe(UUID_OR_NULL, "the user whose client executes the call"), expires_at: TIME_OR_NULL },
    {
      input: describe(
        ANY_OBJECT,
        "the arguments; for that user, the agent's owner, and owners and admins of the swarm",
      ),
    },
  ),
  "tool.waiting": ofRun({ ...TOOL, ...WAIT_MEMBERS }, SIGNAL_MEMBERS),
  "tool.executed": endedTool({ type: "string", const: "succeeded" }),
  "tool.error": endedTool(
    { type: "string", enum: TOOL_ENDS.filter((status) => status !== "succeeded") },
    { error: FAULT },
  ),
  "run.completed": END,
  "run.partial": END,
  "run.failed": END,
  "run.cancelled": END,
  done: record({ run_id: UUID, seq: SEQ }),
  warnings: record({ warnings: describe(listOf(TEXT), "unknown members of the body") }),
};

/** `warnings` is not an event of the run, so it has no id. */
const WITHOUT_ID: ReadonlySet<string> = new Set<RunStreamEventType>(["warnings"]);

export const STREAM_SCHEMAS: Readonly<Record<string, Schema>> = {
  EndedRun: record({ ...RUN_MEMBERS, status: { type: "string", enum: FINAL_RUN_STATUSES }, seq: SEQ }),
  RunStreamItem: {
    description: "One server-sent event: `id` and `event` are its fields, `data` the parsed JSON of its data field.",
    oneOf: Object.entries(DATA_BY_TYPE).map(([type, data]) =>
      record({
        ...(!WITHOUT_ID.has(type) && { id: COUNT }),
        event: { type: "string", const: type },
        data,
      }),
    ),
  },
};

/** The response of a stream. Its events follow a schema of their own. */
export const EVENT_STREAM: Schema = {
  type: "string",
  contentMediaType: "text/event-stream",
  contentSchema: { $ref: "#/components/schemas/RunStreamItem" },
  description: `Server-sent events: ${Object.keys(DATA_BY_TYPE)
    .map((type) => `\`${type}\``)
    .join(", ")}. The last one is \`done\`. \`warnings\`, without an id, is the first if the body has unknown members.`,
};
