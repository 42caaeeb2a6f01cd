import type { EventDescription } from "./event-description.ts";
import { EXAMPLE } from "./example-values.ts";
import { count, orNull, record, text, truth, uuid } from "./json-schema.ts";
import { refer } from "./shared-schemas.ts";

const AUDIENCE = "the owner of the agent, and owner and admins of the swarm";

const EXECUTION = {
  tool_execution_id: uuid(),
  tool_id: orNull(uuid("null for tools of a strategy, and after the tool was deleted")),
  tool_name: text(),
  agent_id: orNull(uuid("null after the agent was deleted")),
  swarm_id: uuid(),
  run_id: uuid(),
  duration_ms: orNull(count()),
  input: { description: "the arguments of the call; any JSON" },
  output_preview: orNull(text("the first 2,000 characters")),
  truncated: truth("the output was longer than the tool allows, and the model read only a part"),
};

const EXAMPLE_EXECUTION = {
  tool_execution_id: EXAMPLE.toolExecution,
  tool_id: EXAMPLE.tool,
  tool_name: "calculator",
  agent_id: EXAMPLE.agent,
  swarm_id: EXAMPLE.swarm,
  run_id: EXAMPLE.run,
  duration_ms: 3,
} as const;

export const TOOL_EVENTS = {
  "tool.executed": {
    summary: "A tool call of an agent succeeded.",
    audience: AUDIENCE,
    data: record(EXECUTION),
    example: {
      ...EXAMPLE_EXECUTION,
      input: { expression: "6 * 7" },
      output_preview: "42",
      truncated: false,
    },
  },
  "tool.error": {
    summary: "A tool call of an agent failed, timed out or was denied.",
    audience: AUDIENCE,
    data: record({ ...EXECUTION, error: refer("EventFault") }),
    example: {
      ...EXAMPLE_EXECUTION,
      input: { expression: "6 *" },
      output_preview: null,
      truncated: false,
      error: { code: "INVALID_TOOL_INPUT", message: "The expression is not complete", retryable: false },
    },
  },
} as const satisfies Record<string, EventDescription>;
