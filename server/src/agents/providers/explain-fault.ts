import type { Framework } from "@swarmbase/sdk";
import { ModelError } from "../../errors/index.ts";
import type { Adapter } from "./adapter.ts";

export interface FaultPlace {
  readonly framework: Framework;
  readonly model: string;
  readonly attempt: number;
  readonly now: Date;
}

/** Translates any failure of a call. It is not kept as the cause, because vendors quote keys, prompts and addresses. */
export function explainFault(error: unknown, adapter: Adapter, place: FaultPlace): ModelError {
  const attempts = place.attempt;
  if (error instanceof ModelError) {
    const { code, message, isRetryable, providerStatus, retryAfterMs } = error;
    return new ModelError(code, message, { isRetryable, providerStatus, retryAfterMs, attempts });
  }
  const { code, isRetryable, text, status, retryAfterMs } = adapter.explainFault(error, place.now);
  return new ModelError(code, `${place.framework}, model ${place.model}: ${text}`, {
    isRetryable,
    providerStatus: status,
    retryAfterMs: isRetryable ? retryAfterMs : null,
    attempts,
  });
}
