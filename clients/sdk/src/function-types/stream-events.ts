// Written by "npm run generate -- sdk-types" from the OpenAPI document; do not edit.
import type { AgentStatus, AgentStatusReason, Framework } from "../agents.ts";
import type { EventFault, EventUsage } from "../event-types/shared.ts";
import type { Json, JsonObject } from "../json.ts";
import type { EndedRun, Message, ToolQuestion } from "./run-answers.ts";

/** The data of each event of a run's stream. */
export interface RunStreamEventData {
  "message.created": {
    run_id: string;
    swarm_id: string;
    message_id: string;
    message: Message;
    /** the id of the event */
    seq: number;
    /** absent for the message that started the run */
    turn_id?: string;
  };
  "context.shortened": {
    run_id: string;
    swarm_id: string;
    turn_id: string;
    agent_id: string | null;
    /** messages that the agent reads neither as they are nor in a summary */
    message_count: number;
    /** why no summary of them could be made; null for whoever asks by a grant */
    reason: "budget" | "provider" | "answer" | "guardrail" | "changed" | "limit" | "internal" | null;
    /** the id of the event */
    seq: number;
  };
  "run.queued": {
    run_id: string;
    swarm_id: string;
    status: "queued";
    /** the position in the queue of the swarm */
    position: number;
    /** the id of the event */
    seq: number;
  };
  "run.started": {
    run_id: string;
    swarm_id: string;
    status: "running";
    /** the run continues: it has waited, or continues on another node */
    is_resumed: boolean;
    /** the id of the event */
    seq: number;
  };
  "turn.started": {
    run_id: string;
    swarm_id: string;
    turn_id: string;
    /** the id of the reply */
    message_id: string;
    agent_id: string;
    agent_name: string;
    /** null for an agent that the caller asks by a grant */
    model: string | null;
    /** the id of the event */
    seq: number;
    /** what the coordinator asks the agent, with the strategy `supervisor` */
    asked?: {
      by_agent_id: string;
      by_agent_name: string;
      message: string;
    };
  };
  "turn.restarted": {
    run_id: string;
    swarm_id: string;
    turn_id: string;
    message_id: string;
    agent_id: string | null;
    /** the node that executed the turn was lost */
    reason: "worker_lost";
    /** replaces the text of the reply so far; mostly empty */
    text: string;
    /** the id of the event */
    seq: number;
  };
  "turn.completed": {
    run_id: string;
    swarm_id: string;
    turn_id: string;
    agent_id: string | null;
    agent_name: string;
    status: "completed" | "failed" | "cancelled";
    finish_reason: string | null;
    usage: EventUsage | null;
    warnings: JsonObject[];
    /** the id of the event */
    seq: number;
    /** the agent that goes on, and why, with the strategy `handoff` */
    handoff?: {
      agent_id: string;
      agent_name: string;
      reason: string;
    };
  };
  "agent.status_changed": {
    run_id: string;
    swarm_id: string;
    agent_id: string | null;
    status: AgentStatus;
    previous_status: AgentStatus;
    reason: AgentStatusReason;
    changed_at: string;
    /** the id of the event */
    seq: number;
  };
  "agent.error": {
    run_id: string;
    swarm_id: string;
    agent_id: string | null;
    turn_id: string;
    error: EventFault;
    /** number of calls to the provider */
    attempts: number;
    framework: Framework | null;
    model: string | null;
    /** the id of the event */
    seq: number;
  };
  "message.delta": {
    run_id: string;
    swarm_id: string;
    turn_id: string;
    message_id: string;
    /** the next piece of the reply */
    delta: string;
    /** the id of the event */
    seq: number;
  };
  "message.reset": {
    run_id: string;
    swarm_id: string;
    turn_id: string;
    message_id: string;
    agent_id: string | null;
    /** the text before tool calls is not part of a structured answer, or the answer has to be repaired */
    reason: "tool_calls" | "repair";
    /** why the answer does not satisfy the `response_schema`; null for `tool_calls` */
    error: string | null;
    /** the id of the event */
    seq: number;
  };
  "reasoning.delta": {
    run_id: string;
    swarm_id: string;
    turn_id: string;
    message_id: string;
    /** the id of the event */
    seq: number;
    /** the next piece; for the agent's owner and for owners and admins of the swarm */
    delta?: string;
  };
  "tool.started": {
    run_id: string;
    swarm_id: string;
    tool_execution_id: string;
    turn_id: string;
    agent_id: string | null;
    tool_name: string;
    /** the id of the event */
    seq: number;
    /** the arguments; for the agent's owner and for owners and admins of the swarm */
    input?: Json;
  };
  "tool.approval_required": {
    run_id: string;
    swarm_id: string;
    tool_execution_id: string;
    turn_id: string;
    agent_id: string | null;
    tool_name: string;
    expires_at: string | null;
    /** the id of the event */
    seq: number;
    /** the arguments; for the agent's owner and for owners and admins of the swarm */
    input?: Json;
    question?: ToolQuestion;
  };
  "tool.client_call": {
    run_id: string;
    swarm_id: string;
    tool_execution_id: string;
    turn_id: string;
    agent_id: string | null;
    tool_name: string;
    /** the user whose client executes the call */
    user_id: string | null;
    expires_at: string | null;
    /** the id of the event */
    seq: number;
    /** the arguments; for that user, the agent's owner, and owners and admins of the swarm */
    input?: JsonObject;
  };
  "tool.waiting": {
    run_id: string;
    swarm_id: string;
    tool_execution_id: string;
    turn_id: string;
    agent_id: string | null;
    tool_name: string;
    /** an event: a signal ends the wait; a sub-task: its end does */
    kind: "time" | "event" | "sub_task";
    /** when the wait ends by itself; null for a sub-task */
    until: string | null;
    /** the id of the event */
    seq: number;
    /** with `event`: the name of the signal */
    name?: string;
    /** with `event`: who may send the signal */
    from?: "starter" | "members";
  };
  "tool.executed": {
    run_id: string;
    swarm_id: string;
    tool_execution_id: string;
    turn_id: string;
    agent_id: string | null;
    tool_name: string;
    /** null for tools of a strategy or of the call, and after the tool was deleted */
    tool_id: string | null;
    status: "succeeded";
    duration_ms: number | null;
    /** the output was longer than the tool allows */
    truncated: boolean;
    /** the id of the event */
    seq: number;
    /** the arguments; for the agent's owner and for owners and admins of the swarm */
    input?: Json;
    /** the first 2,000 characters, for users who see `input` */
    output_preview?: string | null;
  };
  "tool.error": {
    run_id: string;
    swarm_id: string;
    tool_execution_id: string;
    turn_id: string;
    agent_id: string | null;
    tool_name: string;
    /** null for tools of a strategy or of the call, and after the tool was deleted */
    tool_id: string | null;
    status: "failed" | "denied" | "timed_out" | "cancelled";
    duration_ms: number | null;
    /** the output was longer than the tool allows */
    truncated: boolean;
    error: EventFault;
    /** the id of the event */
    seq: number;
    /** the arguments; for the agent's owner and for owners and admins of the swarm */
    input?: Json;
    /** the first 2,000 characters, for users who see `input` */
    output_preview?: string | null;
  };
  "run.completed": EndedRun;
  "run.partial": EndedRun;
  "run.failed": EndedRun;
  "run.cancelled": EndedRun;
  done: {
    run_id: string;
    /** the id of the event */
    seq: number;
  };
  warnings: {
    /** unknown members of the body */
    warnings: string[];
  };
}
