import { STATUS_CODES } from "node:http";
import { DEFAULT_RETRY_AFTER_SECONDS, ERROR_CODES } from "@swarmbase/sdk";
import { type AppError, toAppError } from "./app-error.ts";

export interface RenderedError {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: string;
}

const UNAVAILABLE_RETRY_AFTER_SECONDS = 1;

/** Renders all error bodies. Never throws, and reveals nothing of an error that is not an `AppError`. */
export function renderError(error: unknown): RenderedError {
  const known = toAppError(error);
  try {
    return render(known);
  } catch (cause) {
    // Details that cannot be serialised are an internal error.
    return render(toAppError(cause));
  }
}

function render(error: AppError): RenderedError {
  return { status: error.status, headers: buildHeaders(error), body: JSON.stringify(buildBody(error)) };
}

function buildBody(error: AppError): Record<string, unknown> {
  const { extra, message } = error;
  const code = extra.foreign?.code ?? error.code;
  const details = extra.details ?? null;
  const flat = { code, message, details, hint: extra.hint ?? null };
  const further = { ...(extra.errors && { errors: extra.errors }), ...extra.members };

  switch (error.code) {
    case "VALIDATION_ERROR":
      // For two kinds of clients: plain HTTPS reads `error`, supabase-js takes the whole body as the error.
      return { ...further, data: null, error: { code, message, details }, ...flat };
    case "RATE_LIMITED":
      return { ...further, error: ERROR_CODES[error.code].error, ...flat, retry_after: retryAfterOf(error) };
    default:
      return { ...further, error: shortTextOf(error), ...flat };
  }
}

/** A case without a code of the service gets the code of its status. */
function shortTextOf({ code, status, extra }: AppError): string {
  if (extra.foreign === undefined || status === ERROR_CODES[code].status) return ERROR_CODES[code].error;
  const [first = "", ...rest] = STATUS_CODES[status] ?? ERROR_CODES[code].error;
  return first + rest.join("").toLowerCase();
}

function buildHeaders(error: AppError): Record<string, string> {
  const { upstreamCode, headers = {} } = error.extra;
  const retryAfter = retryAfterOf(error);
  const built: Record<string, string> = {
    "content-type": "application/json; charset=utf-8",
    ...(retryAfter !== null && { "retry-after": String(retryAfter) }),
    ...(upstreamCode !== undefined && { "proxy-status": `swarmbase; error=${upstreamCode}` }),
    ...(error.status === 401 && { "www-authenticate": buildChallenge(error) }),
  };
  for (const [name, value] of Object.entries(headers)) {
    if (/^[\w-]+$/.test(name)) built[name.toLowerCase()] = value;
  }
  for (const [name, value] of Object.entries(built)) built[name] = toHeaderText(value);
  return built;
}

function retryAfterOf({ code, extra }: AppError): number | null {
  const seconds = extra.retryAfterSeconds;
  if (seconds !== undefined && Number.isFinite(seconds)) return Math.max(1, Math.ceil(seconds));
  if (code === "RATE_LIMITED") return DEFAULT_RETRY_AFTER_SECONDS;
  return code === "SERVICE_UNAVAILABLE" ? UNAVAILABLE_RETRY_AFTER_SECONDS : null;
}

/** RFC 6750: without credentials the challenge names the scheme only, otherwise also the error. */
function buildChallenge({ extra, message }: AppError): string {
  if (extra.upstreamCode === undefined) return "Bearer";
  return `Bearer error="invalid_token", error_description="${message.replace(/["\\]/g, "'")}"`;
}

function toHeaderText(value: unknown): string {
  return String(value).replace(/[^\x20-\x7e]+/g, " ");
}
