import type { ErrorCode } from "@swarmbase/sdk";
import { AppError, type AppErrorExtra } from "../errors/index.ts";

/** PostgREST's codes with their statuses. 401s have codes of the service and are raised elsewhere. */
const REST_ERRORS = {
  PGRST000: { status: 503 },
  PGRST001: { status: 503 },
  PGRST002: { status: 503 },
  PGRST003: { status: 504 },
  PGRST100: { status: 400 },
  PGRST101: { status: 405 },
  PGRST102: { status: 400 },
  PGRST103: { status: 416 },
  PGRST105: { status: 405 },
  PGRST106: { status: 406 },
  PGRST107: { status: 406 },
  PGRST108: { status: 400 },
  PGRST111: { status: 500 },
  PGRST112: { status: 500 },
  PGRST114: { status: 400 },
  PGRST115: { status: 400 },
  PGRST116: { status: 406 },
  PGRST117: { status: 405 },
  PGRST118: { status: 400 },
  PGRST121: { status: 500 },
  PGRST122: { status: 400 },
  PGRST123: { status: 400 },
  PGRST124: { status: 400 },
  PGRST125: { status: 404 },
  PGRST126: { status: 404 },
  PGRST127: { status: 400 },
  PGRST128: { status: 400 },
  PGRST200: { status: 400 },
  PGRST201: { status: 300 },
  PGRST202: { status: 404 },
  PGRST203: { status: 300 },
  PGRST204: { status: 400 },
  PGRST205: { status: 404 },
} as const satisfies Record<string, { status: number }>;

export type RestErrorCode = keyof typeof REST_ERRORS;

export type RestErrorExtra = Pick<AppErrorExtra, "details" | "hint" | "headers" | "cause" | "members">;

/** An error as PostgREST reports it: `code` is its code, `error` the short text for the status. */
export function restError(code: RestErrorCode, message: string, extra: RestErrorExtra = {}): AppError {
  const { status } = REST_ERRORS[code];
  return new AppError(nearestOwnCode(status), message, {
    ...extra,
    foreign: { code, status },
    upstreamCode: code,
  });
}

function nearestOwnCode(status: (typeof REST_ERRORS)[RestErrorCode]["status"]): ErrorCode {
  switch (status) {
    case 404:
      return "NOT_FOUND";
    case 405:
      return "METHOD_NOT_ALLOWED";
    case 500:
      return "INTERNAL_ERROR";
    case 503:
    case 504:
      return "SERVICE_UNAVAILABLE";
    case 300:
    case 400:
    case 406:
    case 416:
      return "BAD_REQUEST";
  }
}
