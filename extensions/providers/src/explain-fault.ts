import { APICallError } from "@ai-sdk/provider";
import type { AdapterFault, ModelErrorCode } from "swarmbase/extension";
import { asRecord } from "./parse-record.ts";

const MAX_BODY_CHARS = 65_536;

const MAX_TEXT_CHARS = 4096;

const NETWORK_CODE = /^(E[A-Z]{4,}|UND_ERR_[A-Z_]+|ERR_(TLS|SSL|SOCKET)[A-Z_]*|CERT_[A-Z_]+)$/;

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

/** The details of a failed call, independent of the vendor. For decisions only: they must not be shown. */
interface VendorFault {
  readonly status: number | null;
  /** Codes, types and messages, in lower case. */
  readonly text: string;
  /** The vendor's name of the fault, when it is a plain identifier. */
  readonly name: string | null;
  readonly retryAfterMs: number | null;
  /** The connection failed or broke off. */
  readonly isNetwork: boolean;
}

function readFault(error: unknown, now: Date): VendorFault {
  if (APICallError.isInstance(error)) {
    const body = error.responseBody === undefined ? error.data : parseBody(error.responseBody);
    const status = error.statusCode ?? null;
    return {
      status,
      ...readBody(body, typeof body === "string" ? body : error.message),
      retryAfterMs: readRetryAfter(error.responseHeaders ?? {}, now) ?? findRetryDelay(body),
      isNetwork: status === null || status < 400,
    };
  }
  if (error instanceof Error) {
    const isNetwork = hasNetworkCode(error);
    return { status: null, text: "", name: null, retryAfterMs: null, isNetwork };
  }
  // An error within a stream: the frame of the vendor, or an object of the package with a status.
  const frame = asRecord(error);
  const inner = frame?.["data"] ?? error;
  return {
    status: readStatus(frame?.["statusCode"]) ?? readStatus(frame?.["code"]) ?? null,
    ...readBody(inner, typeof error === "string" ? error : ""),
    retryAfterMs: findRetryDelay(inner),
    isNetwork: false,
  };
}

function readBody(body: unknown, text: string): Pick<VendorFault, "text" | "name"> {
  const outer = asRecord(body);
  // OpenAI's Responses API reports a failure in its stream as an error of the response.
  const fault = asRecord(outer?.["error"]) ?? asRecord(asRecord(outer?.["response"])?.["error"]) ?? outer;
  const details = Array.isArray(fault?.["details"]) ? fault["details"] : [];
  const reasons = details.map((detail) => asRecord(detail)?.["reason"]);
  const names = [fault?.["code"], fault?.["type"], fault?.["status"], ...reasons].filter(
    (name) => typeof name === "string",
  );
  const texts = [...names, fault?.["message"], outer?.["error"], text].filter((value) => typeof value === "string");
  return {
    text: texts.join(" ").slice(0, MAX_TEXT_CHARS).toLowerCase(),
    // Without digits, so that a key is not taken for a name.
    name:
      names
        .map((name) => name.toLowerCase())
        .find((name) => /^[a-z]+(_[a-z]+){0,6}$/.test(name) && name.length <= 48) ?? null,
  };
}

function parseBody(text: string): unknown {
  if (text.length > MAX_BODY_CHARS) return text.slice(0, MAX_TEXT_CHARS);
  try {
    const json: unknown = JSON.parse(text);
    // Google answers a streaming request with an array of one error.
    return Array.isArray(json) ? json[0] : json;
  } catch {
    return text.slice(0, MAX_TEXT_CHARS);
  }
}

function readRetryAfter(headers: Readonly<Record<string, string>>, now: Date): number | null {
  const inMs = Number(headers["retry-after-ms"] ?? Number.NaN);
  if (inMs >= 0) return Math.ceil(inMs);
  const text = headers["retry-after"];
  if (text === undefined || text === "") return null;
  if (/^\d+(\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000);
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, at - now.getTime());
}

/** Google sends it in the body: `{"@type": "…RetryInfo", "retryDelay": "3.5s"}`. */
function findRetryDelay(body: unknown): number | null {
  const fault = asRecord(asRecord(body)?.["error"]) ?? asRecord(body);
  const details = Array.isArray(fault?.["details"]) ? fault["details"].slice(0, 50) : [];
  for (const detail of details) {
    const delay = asRecord(detail)?.["retryDelay"];
    const seconds = typeof delay === "string" ? /^(\d+(?:\.\d+)?)s$/.exec(delay)?.[1] : undefined;
    if (seconds !== undefined) return Math.ceil(Number(seconds) * 1000);
  }
  return null;
}

function readStatus(value: unknown): number | undefined {
  const status = typeof value === "string" && /^\d{3}$/.test(value) ? Number(value) : value;
  return typeof status === "number" && status >= 400 && status <= 599 ? status : undefined;
}

function hasNetworkCode(error: Error): boolean {
  let current: unknown = error;
  for (let depth = 0; depth < 5 && current instanceof Error; depth++) {
    if ("code" in current && typeof current.code === "string" && NETWORK_CODE.test(current.code)) return true;
    current = current.cause;
  }
  return error instanceof TypeError && /^(fetch failed|terminated)$/.test(error.message);
}
