import type { Framework } from "@swarmbase/sdk";
import { ModelError, type ModelErrorCode } from "./model-error.ts";
import { readFault, type VendorFault } from "./read-fault.ts";

export interface FaultPlace {
  readonly framework: Framework;
  readonly model: string;
  readonly attempt: number;
  readonly now: Date;
}

interface Verdict {
  readonly code: ModelErrorCode;
  readonly isRetryable: boolean;
  readonly text: string;
}

/**
 * Any failure of a call as one of ours. The message is made of our own words: vendors quote keys, prompts and addresses
 * in theirs, which is also why the failure is not kept as a cause.
 */
export function explainFault(error: unknown, place: FaultPlace): ModelError {
  if (error instanceof ModelError) return withAttempts(error, place.attempt);
  const fault = readFault(error, place.now);
  const { code, isRetryable, text } = judge(fault);
  const name = fault.name === null ? "" : ` (${fault.name})`;
  return new ModelError(code, `${place.framework}, model ${place.model}: ${text}${name}`, {
    isRetryable,
    providerStatus: fault.status,
    retryAfterMs: isRetryable ? fault.retryAfterMs : null,
    attempts: place.attempt,
  });
}

function withAttempts(error: ModelError, attempts: number): ModelError {
  const { code, message, isRetryable, providerStatus, retryAfterMs } = error;
  return new ModelError(code, message, { isRetryable, providerStatus, retryAfterMs, attempts });
}

const verdict = (code: ModelErrorCode, isRetryable: boolean, text: string): Verdict => ({ code, isRetryable, text });

const CONTEXT_WORDS =
  /context_length_exceeded|exceed_context_size|prompt is too long|maximum context length|context (window|length|size)|input token count.{0,40}exceeds|too many (input )?tokens|request_too_large|input is too long/;
const FILTER_WORDS = /content_filter|content_policy|content policy|responsible_?ai|safety system|moderation_blocked/;
const KEY_WORDS =
  /api_key_invalid|api key not valid|invalid_api_key|incorrect api key|invalid x-api-key|authentication_error/;
const MODEL_WORDS =
  /model_not_found|model.{0,120}(not found|does not exist|not exist|not supported|is not available)|not_found_error.{0,20}model|unknown model/;
const QUOTA_WORDS = /insufficient_quota|billing|credit balance|insufficient (balance|credits?)/;

function judge({ status, words, isNetwork }: VendorFault): Verdict {
  if (isNetwork) return verdict("PROVIDER_ERROR", true, "the provider could not be reached or its answer broke off");
  if (status === null) return judgeWords(words);
  if (status === 401 || status === 403 || (status === 400 && KEY_WORDS.test(words)))
    return verdict("PROVIDER_AUTH_FAILED", false, "the provider refused the credentials of this service");
  if (status === 429 || status === 402) {
    if (status === 402 || QUOTA_WORDS.test(words))
      return verdict("PROVIDER_RATE_LIMITED", false, "the quota of this service at the provider is used up");
    return verdict("PROVIDER_RATE_LIMITED", true, "the provider limits the rate of calls");
  }
  // Some servers report a context that is too long as a fault of their own.
  if (status === 413 || CONTEXT_WORDS.test(words)) return TOO_LONG;
  if (status < 500 && FILTER_WORDS.test(words)) return FILTERED;
  if (status < 500 && (status === 404 || status === 400) && MODEL_WORDS.test(words))
    return verdict("INVALID_MODEL", false, "the provider does not offer this model");
  if (status === 408 || status === 504) return verdict("PROVIDER_TIMEOUT", true, "the provider ran out of time");
  if (status >= 500) return verdict("PROVIDER_OVERLOADED", true, "the provider is overloaded or failed");
  return verdict("PROVIDER_ERROR", false, "the provider refused the request");
}

const TOO_LONG = verdict("CONTEXT_LENGTH_EXCEEDED", false, "the conversation is longer than the model can read");
const FILTERED = verdict("CONTENT_FILTERED", false, "the provider declined to answer");

/** Compatible servers put errors into the stream without any status. */
function judgeWords(words: string): Verdict {
  if (CONTEXT_WORDS.test(words)) return TOO_LONG;
  if (FILTER_WORDS.test(words)) return FILTERED;
  if (/rate_?limit|too many requests/.test(words))
    return verdict("PROVIDER_RATE_LIMITED", true, "the provider limits the rate of calls");
  if (/overload|unavailable|server_error|internal/.test(words))
    return verdict("PROVIDER_OVERLOADED", true, "the provider is overloaded or failed");
  return verdict("PROVIDER_ERROR", true, "the provider sent what cannot be understood");
}
