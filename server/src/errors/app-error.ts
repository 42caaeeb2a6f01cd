import { STATUS_CODES } from "node:http";
import { ERROR_CODES, type ErrorCode } from "@swarmbase/sdk";

export interface AppErrorExtra {
  /** One message per field (dotted when nested), a text, or the valid choices. */
  details?: Record<string, string> | string | readonly Readonly<Record<string, string>>[] | null;
  hint?: string | null;
  headers?: Record<string, string>;
  retryAfterSeconds?: number;
  /** The code of PostgREST, PostgreSQL or GoTrue for this case; sent in `Proxy-Status`, and an SQLSTATE in `details` unless there are others. */
  upstreamCode?: string;
  /** Never shown to the client. */
  cause?: unknown;
  errors?: { field: string; code: string }[];
  /** The code and status of PostgreSQL, PostgREST or GoTrue, for a case without a code of the service. The body has no `error` then. */
  foreign?: { code: string; status: number };
  /** Decided by the catalogue of the database, which may have been outdated. */
  isByCatalogue?: boolean;
  /** Further members of the body, such as `error_code` or `delivery_id`. */
  members?: Record<string, unknown>;
}

/** An error with a message for the caller. Any other exception is an internal error. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly extra: Readonly<AppErrorExtra>;

  constructor(code: ErrorCode, message: string, extra: AppErrorExtra = {}) {
    super(message, extra.cause === undefined ? undefined : { cause: extra.cause });
    this.name = "AppError";
    this.code = code;
    this.status = extra.foreign?.status ?? ERROR_CODES[code].status;
    this.extra = extra;
  }
}

export function toAppError(error: unknown): AppError {
  if (isAppError(error)) return error;
  return new AppError("INTERNAL_ERROR", "An internal error occurred", { cause: error });
}

/**
 * Adds `error` to the body of an error whose code is not the service's. Bodies under `/rest/v1` do not have it; all others do.
 */
export function withShortText(error: AppError): AppError {
  const { code, message, status, extra } = error;
  if (extra.foreign === undefined) return error;
  const [first = "", ...rest] = STATUS_CODES[status] ?? ERROR_CODES[code].error;
  const members = { error: first + rest.join("").toLowerCase(), ...extra.members };
  return new AppError(code, message, { ...extra, members });
}

function isAppError(error: unknown): error is AppError {
  try {
    return error instanceof AppError;
  } catch {
    // A Proxy can be thrown too, and its traps can throw.
    return false;
  }
}
