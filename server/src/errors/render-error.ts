import { DEFAULT_RETRY_AFTER_SECONDS, ERROR_CODES } from "@swarmbase/sdk";
import { type AppError, toAppError } from "./app-error.ts";

export interface RenderedError {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: string;
}

/**
 * The `Link` header of the page that explains a code, by codes of the service and of accounts; null is the key for all others. Empty when
 * no page explains errors.
 */
export type HelpLinks = ReadonlyMap<string | null, string>;

const NO_HELP: HelpLinks = new Map();
const UNAVAILABLE_RETRY_AFTER_SECONDS = 1;

/** Renders all error bodies. Never throws, and reveals nothing of an error that is not an `AppError`. */
export function renderError(error: unknown, helpLinks: HelpLinks = NO_HELP): RenderedError {
  const known = toAppError(error);
  try {
    return render(known, helpLinks);
  } catch (cause) {
    // Details that cannot be serialised are an internal error.
    return render(toAppError(cause), helpLinks);
  }
}

function render(error: AppError, helpLinks: HelpLinks): RenderedError {
  return { status: error.status, headers: buildHeaders(error, helpLinks), body: JSON.stringify(buildBody(error)) };
}

function buildBody(error: AppError): Record<string, unknown> {
  const { extra, message } = error;
  const code = extra.foreign?.code ?? error.code;
  const details = extra.details ?? describeState(error);
  const flat = { code, message, details, hint: extra.hint ?? null };
  const further = { ...(extra.errors && { errors: extra.errors }), ...extra.members };

  switch (error.code) {
    case "VALIDATION_ERROR":
      // For two kinds of clients: plain HTTPS reads `error`, supabase-js takes the whole body as the error.
      return { ...further, data: null, error: { code, message, details }, ...flat };
    case "RATE_LIMITED":
      return { ...further, error: ERROR_CODES[error.code].error, ...flat, retry_after: retryAfterOf(error) };
    default:
      // Clients of PostgREST compare whole bodies, which have four members.
      return extra.foreign === undefined
        ? { error: ERROR_CODES[error.code].error, ...further, ...flat }
        : { ...further, ...flat };
  }
}

/** The state of PostgreSQL behind a code of the service. */
function describeState({ extra }: AppError): string | null {
  const { foreign, upstreamCode = "" } = extra;
  return foreign === undefined && /^[0-9A-Z]{5}$/.test(upstreamCode) ? `SQLSTATE ${upstreamCode}` : null;
}

function buildHeaders(error: AppError, helpLinks: HelpLinks): Record<string, string> {
  const { upstreamCode, headers = {} } = error.extra;
  const retryAfter = retryAfterOf(error);
  const help = findHelpLink(error, helpLinks);
  const built: Record<string, string> = {
    "content-type": "application/json; charset=utf-8",
    ...(retryAfter !== null && { "retry-after": String(retryAfter) }),
    ...(upstreamCode !== undefined && { "proxy-status": `swarmbase; error=${upstreamCode}` }),
    ...(error.status === 401 && { "www-authenticate": buildChallenge(error) }),
    ...(help !== undefined && { link: help }),
  };
  for (const [name, value] of Object.entries(headers)) {
    if (/^[\w-]+$/.test(name)) built[name.toLowerCase()] = value;
  }
  for (const [name, value] of Object.entries(built)) built[name] = toHeaderText(value);
  return built;
}

/** Errors of accounts have a code of the service too, which says less. */
function findHelpLink({ code, extra }: AppError, helpLinks: HelpLinks): string | undefined {
  const authCode = extra.members?.["error_code"];
  const ofAccounts = typeof authCode === "string" ? helpLinks.get(authCode) : undefined;
  return ofAccounts ?? helpLinks.get(extra.foreign === undefined ? code : null);
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
