// Written by "npm run generate -- sdk-types" from event-schemas/; do not edit.
import type { EventFault } from "../event-types/shared.ts";

/** `tool.executed`: A tool call of an agent succeeded. */
export interface ToolExecutedData {
  tool_execution_id: string;
  /** null for tools of a strategy, and after the tool was deleted */
  tool_id: string | null;
  tool_name: string;
  /** null after the agent was deleted */
  agent_id: string | null;
  swarm_id: string;
  run_id: string;
  duration_ms: number | null;
  /** the arguments of the call; any JSON */
  input: unknown;
  /** the first 2,000 characters */
  output_preview: string | null;
  /** the output was longer than the tool allows, and the model read only a part */
  truncated: boolean;
  /** a sample of `test-webhook` */
  test?: true;
}

/** `tool.error`: A tool call of an agent failed, timed out or was denied. */
export interface ToolErrorData {
  tool_execution_id: string;
  /** null for tools of a strategy, and after the tool was deleted */
  tool_id: string | null;
  tool_name: string;
  /** null after the agent was deleted */
  agent_id: string | null;
  swarm_id: string;
  run_id: string;
  duration_ms: number | null;
  /** the arguments of the call; any JSON */
  input: unknown;
  /** the first 2,000 characters */
  output_preview: string | null;
  /** the output was longer than the tool allows, and the model read only a part */
  truncated: boolean;
  error: EventFault;
  /** a sample of `test-webhook` */
  test?: true;
}
