import type { AdapterFault, ModelErrorCode } from "swarmbase/extension";
import { readFault, type VendorFault } from "./read-fault.ts";

type Classification = Pick<AdapterFault, "code" | "isRetryable" | "text">;

/** Translates any failure of an attempt. The text contains no words of the vendor, because vendors quote keys, prompts and addresses. */
export function explainFault(error: unknown, now: Date): AdapterFault {
  const fault = readFault(error, now);
  const { code, isRetryable, text } = classifyFault(fault);
  const name = fault.name === null ? "" : ` (${fault.name})`;
  return { code, isRetryable, text: `${text}${name}`, status: fault.status, retryAfterMs: fault.retryAfterMs };
}

const classify = (code: ModelErrorCode, isRetryable: boolean, text: string): Classification => ({
  code,
  isRetryable,
  text,
});

const CONTEXT_TEXT =
  /context_length_exceeded|exceed_context_size|prompt is too long|maximum context length|context (window|length|size)|input token count.{0,40}exceeds|too many (input )?tokens|request_too_large|input is too long/;
const FILTER_TEXT = /content_filter|content_policy|content policy|responsible_?ai|safety system|moderation_blocked/;
const KEY_TEXT =
  /api_key_invalid|api key not valid|invalid_api_key|incorrect api key|invalid x-api-key|authentication_error/;
const MODEL_TEXT =
  /model_not_found|model.{0,120}(not found|does not exist|not exist|not supported|is not available)|not_found_error.{0,20}model|unknown model/;
/** Anthropic's error of an account without credit has no status and no type of its own. */
const NO_CREDIT_TEXT = /credit balance is too low/;
const QUOTA_TEXT = /insufficient_quota|billing|credit balance|insufficient (balance|credits?)/;

function classifyFault({ status, text, isNetwork }: VendorFault): Classification {
  if (isNetwork)
    return classify("PROVIDER_ERROR", true, "the provider could not be reached or its response was incomplete");
  if (status === null) return classifyByText(text);
  if (status === 401 || status === 403 || (status === 400 && KEY_TEXT.test(text)))
    return classify("PROVIDER_AUTH_FAILED", false, "the provider refused the credentials of this service");
  if (status === 429 || status === 402 || (status === 400 && NO_CREDIT_TEXT.test(text))) {
    if (status !== 429 || QUOTA_TEXT.test(text))
      return classify("PROVIDER_RATE_LIMITED", false, "the quota of this service at the provider is used up");
    return classify("PROVIDER_RATE_LIMITED", true, "the provider limits the rate of calls");
  }
  // Some servers report a context that is too long as a server error.
  if (status === 413 || CONTEXT_TEXT.test(text)) return TOO_LONG;
  if (status < 500 && FILTER_TEXT.test(text)) return FILTERED;
  if (status < 500 && (status === 404 || status === 400) && MODEL_TEXT.test(text))
    return classify("INVALID_MODEL", false, "the provider does not offer this model");
  if (status === 408 || status === 504) return classify("PROVIDER_TIMEOUT", true, "the provider timed out");
  if (status >= 500) return classify("PROVIDER_OVERLOADED", true, "the provider is overloaded or failed");
  return classify("PROVIDER_ERROR", false, "the provider refused the request");
}

const TOO_LONG = classify("CONTEXT_LENGTH_EXCEEDED", false, "the conversation is longer than the model can read");
const FILTERED = classify("CONTENT_FILTERED", false, "the provider declined to answer");

/** Compatible servers send errors in the stream without a status. */
function classifyByText(text: string): Classification {
  if (CONTEXT_TEXT.test(text)) return TOO_LONG;
  if (FILTER_TEXT.test(text)) return FILTERED;
  if (/rate_?limit|too many requests/.test(text))
    return classify("PROVIDER_RATE_LIMITED", true, "the provider limits the rate of calls");
  if (/overload|unavailable|server_error|internal/.test(text))
    return classify("PROVIDER_OVERLOADED", true, "the provider is overloaded or failed");
  return classify("PROVIDER_ERROR", true, "the provider sent a response that is not valid");
}
