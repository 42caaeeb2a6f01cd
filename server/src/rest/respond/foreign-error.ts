import type { ErrorCode } from "@swarmbase/sdk";
import { AppError, type AppErrorExtra } from "../../errors/index.ts";

export interface ForeignErrorInput {
  readonly code: string;
  readonly status: number;
  readonly message: string;
  readonly details: string | null;
  readonly hint: string | null;
  readonly headers?: Record<string, string>;
  /** Never shown. */
  readonly cause: Error;
}

/** An error with a code and status of PostgreSQL or of a function. */
export function foreignError(rejection: ForeignErrorInput): AppError {
  const { code, status, message, details, hint, headers, cause } = rejection;
  const extra: AppErrorExtra = { foreign: { code, status }, details, hint, cause };
  if (/^[\w-]+$/.test(code)) extra.upstreamCode = code;
  // The token is valid, so the challenge contains no error.
  extra.headers = status === 401 ? { "www-authenticate": "Bearer", ...headers } : { ...headers };
  return new AppError(nearestOwnCode(status), message, extra);
}

/** The service's code for the status, which provides the short text of the body. */
function nearestOwnCode(status: number): ErrorCode {
  switch (status) {
    case 401:
      return "UNAUTHORIZED";
    case 403:
      return "FORBIDDEN";
    case 404:
      return "NOT_FOUND";
    case 405:
      return "METHOD_NOT_ALLOWED";
    case 429:
      return "RATE_LIMITED";
    case 503:
      return "SERVICE_UNAVAILABLE";
    default:
      return status < 500 ? "BAD_REQUEST" : "INTERNAL_ERROR";
  }
}
