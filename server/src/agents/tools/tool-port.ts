import type { ModelTool } from "../providers/model-port.ts";

/** A tool as an agent has it: the tool's row and the assignment's configuration. Names are the columns'. */
export interface AssignedTool {
  readonly id: string;
  readonly owner_id: string | null;
  readonly name: string;
  readonly description: string;
  /** `builtin`, `http`, `mcp`, or a kind that an extension adds. */
  readonly kind: string;
  readonly input_schema: Readonly<Record<string, unknown>>;
  readonly config: Readonly<Record<string, unknown>>;
  readonly configuration: Readonly<Record<string, unknown>>;
  readonly requires_approval: boolean;
  readonly timeout_ms: number;
  readonly max_output_chars: number;
  /** base64, or null where the tool has none. */
  readonly secrets_wrapped: string | null;
}

export interface ToolCallContext {
  readonly executionId: string;
  readonly swarmId: string;
  readonly runId: string;
  readonly agentId: string;
  readonly signal: AbortSignal;
  readonly traceparent?: string;
}

export interface ToolFault {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
}

export type ToolOutcome =
  | {
      readonly status: "succeeded";
      /** What is kept; bounded like the text. */
      readonly output: unknown;
      /** What the model reads. */
      readonly text: string;
      readonly outputChars: number;
      readonly isTruncated: boolean;
      readonly attempts: number;
      readonly durationMs: number;
    }
  | {
      readonly status: "failed" | "timed_out" | "cancelled";
      readonly error: ToolFault;
      /** What the other side said, bounded: for the model beside the message, and for nobody who may not see outputs. */
      readonly text?: string;
      readonly attempts: number;
      readonly durationMs: number;
    };

export interface Tools {
  /** What the model is told: fixed arguments of the configuration are not its to choose. */
  describe(tool: AssignedTool): ModelTool;
  /** The input as it will be used (fixed arguments merged), or why it is refused. */
  checkInput(
    tool: AssignedTool,
    inputText: string,
  ):
    | { readonly ok: true; readonly input: Readonly<Record<string, unknown>> }
    | { readonly ok: false; readonly fault: ToolFault };
  /** Never rejects. */
  run(tool: AssignedTool, input: Readonly<Record<string, unknown>>, context: ToolCallContext): Promise<ToolOutcome>;
}
