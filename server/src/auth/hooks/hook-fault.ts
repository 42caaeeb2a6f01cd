import type { AuthErrorCode } from "../auth-error.ts";

type FaultCode = Extract<
  AuthErrorCode,
  "hook_timeout" | "hook_payload_over_size_limit" | "hook_payload_invalid_content_type" | "unexpected_failure"
>;

/** Why a hook gave no valid answer. Neither the reason nor the message has anything that the hook has said. */
export class HookFault extends Error {
  readonly code: FaultCode;
  /** Few words, under which failures are counted. */
  readonly reason: string;

  constructor(reason: string, { code = "unexpected_failure", cause }: { code?: FaultCode; cause?: unknown } = {}) {
    super(`The hook failed: ${reason}`, { cause });
    this.name = "HookFault";
    this.reason = reason;
    this.code = code;
  }
}

export const timedOut = (cause?: unknown): HookFault => new HookFault("timeout", { code: "hook_timeout", cause });

export const tooLarge = (): HookFault => new HookFault("answer too large", { code: "hook_payload_over_size_limit" });

/** Whether a request was refused because its hook failed, and not because the hook said so. */
export function isHookFailure(error: unknown): error is Error & { readonly cause: HookFault } {
  return error instanceof Error && error.cause instanceof HookFault;
}
