export type ModelErrorCode =
  | "PROVIDER_NOT_CONFIGURED"
  | "PROVIDER_AUTH_FAILED"
  | "INVALID_MODEL"
  | "CONTEXT_LENGTH_EXCEEDED"
  | "MAX_TOKENS_REACHED"
  | "LOOP_DETECTED"
  | "PROVIDER_RATE_LIMITED"
  | "PROVIDER_OVERLOADED"
  | "PROVIDER_TIMEOUT"
  | "PROVIDER_ERROR"
  | "CONTENT_FILTERED"
  | "RESPONSE_SCHEMA_MISMATCH"
  | "GUARDRAIL_BLOCKED"
  | "GUARDRAIL_FAILED";

/** Why a model did not answer. The message can be shown to users: it has no key, no address and no vendor text. */
export class ModelError extends Error {
  readonly code: ModelErrorCode;
  readonly isRetryable: boolean;
  readonly providerStatus: number | null;
  readonly retryAfterMs: number | null;
  readonly attempts: number;

  constructor(
    code: ModelErrorCode,
    message: string,
    extra: {
      readonly isRetryable?: boolean;
      readonly providerStatus?: number | null;
      readonly retryAfterMs?: number | null;
      readonly attempts?: number;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, { cause: extra.cause });
    this.name = "ModelError";
    this.code = code;
    this.isRetryable = extra.isRetryable ?? false;
    this.providerStatus = extra.providerStatus ?? null;
    this.retryAfterMs = extra.retryAfterMs ?? null;
    this.attempts = extra.attempts ?? 1;
  }
}
