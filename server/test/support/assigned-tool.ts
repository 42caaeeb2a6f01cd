import type { AssignedTool, ToolCallContext } from "../../src/agents/tools/tool-port.ts";
import { WAIT_MS } from "./wait-limit.ts";

export function assignedTool(parts: Partial<AssignedTool> = {}): AssignedTool {
  return {
    id: "019a8000-0000-7000-8000-0000000000aa",
    owner_id: "019a8000-0000-7000-8000-0000000000bb",
    name: "tool",
    description: "A tool",
    kind: "http",
    input_schema: { type: "object", properties: {} },
    config: {},
    configuration: {},
    requires_approval: false,
    timeout_ms: WAIT_MS,
    max_output_chars: 16_000,
    max_retries: 1,
    idempotent: false,
    approver: null,
    acts_for_starter: false,
    secrets_wrapped: null,
    ...parts,
  };
}

export function callContext(parts: Partial<ToolCallContext> = {}): ToolCallContext {
  return {
    swarmId: "019a8000-0000-7000-8000-000000000002",
    signal: new AbortController().signal,
    ...parts,
  };
}
