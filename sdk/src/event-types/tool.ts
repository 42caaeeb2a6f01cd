// Written by "npm run sdk:types" from event-schemas/; do not edit.
import type { EventFault } from "../event-types/shared.ts";

/** `tool.executed`: A tool call of an agent succeeded. */
export interface ToolExecutedData {
  tool_execution_id: string;
  /** null for tools that come with a strategy, and where the tool was removed */
  tool_id: string | null;
  tool_name: string;
  /** null where the agent was removed */
  agent_id: string | null;
  swarm_id: string;
  run_id: string;
  duration_ms: number | null;
  /** what the model asked for; any JSON */
  input: unknown;
  /** the first 2,000 characters */
  output_preview: string | null;
  /** the output was longer than the tool allows, and was cut for the model too */
  truncated: boolean;
  /** sent by `test-webhook`; nothing happened */
  test?: true;
}

/** `tool.error`: A tool call of an agent failed, timed out or was denied. */
export interface ToolErrorData {
  tool_execution_id: string;
  /** null for tools that come with a strategy, and where the tool was removed */
  tool_id: string | null;
  tool_name: string;
  /** null where the agent was removed */
  agent_id: string | null;
  swarm_id: string;
  run_id: string;
  duration_ms: number | null;
  /** what the model asked for; any JSON */
  input: unknown;
  /** the first 2,000 characters */
  output_preview: string | null;
  /** the output was longer than the tool allows, and was cut for the model too */
  truncated: boolean;
  error: EventFault;
  /** sent by `test-webhook`; nothing happened */
  test?: true;
}
