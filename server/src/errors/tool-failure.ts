/** Why a call of a tool failed, as the run stores it. */
export interface ToolFault {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
}

type ToolFaultCode =
  | "INVALID_TOOL_INPUT"
  | "TOOL_UNUSABLE"
  | "TOOL_BLOCKED"
  | "TOOL_UNREACHABLE"
  | "TOOL_HTTP_ERROR"
  | "TOOL_REMOTE_ERROR"
  | "TOOL_TIMED_OUT"
  | "TOOL_CANCELLED"
  | "TOOL_FAILED";

interface ToolFailureExtra {
  readonly isRetryable?: boolean;
  readonly attempts?: number;
  /** The response of the server. For the model and the owner, not for every member who can see that the call failed. */
  readonly text?: string;
  readonly cause?: unknown;
}

/** Why a tool returned no result. Every member of the swarm can see the message: it has no response text, secret or address. */
export class ToolFailure extends Error {
  readonly fault: ToolFault;
  readonly attempts: number;
  readonly text: string | null;

  constructor(code: ToolFaultCode, message: string, extra: ToolFailureExtra = {}) {
    super(message, { cause: extra.cause });
    this.name = "ToolFailure";
    this.fault = { code, message, retryable: extra.isRetryable ?? false };
    this.attempts = extra.attempts ?? 1;
    this.text = extra.text ?? null;
  }
}
