import type { ErrorCode } from "@swarmbase/sdk";
import { AppError, type AppErrorExtra } from "../errors/index.ts";

/** PostgREST's codes by status. 401s have codes of the service and are raised elsewhere. */
const REST_ERRORS = [
  { status: 300, codes: ["PGRST201", "PGRST203"] },
  { status: 400, codes: ["PGRST100", "PGRST102", "PGRST108", "PGRST114", "PGRST115", "PGRST118", "PGRST122"] },
  { status: 400, codes: ["PGRST124", "PGRST127", "PGRST128", "PGRST129", "PGRST200", "PGRST204"] },
  { status: 404, codes: ["PGRST125", "PGRST126", "PGRST202", "PGRST205"] },
  { status: 405, codes: ["PGRST101", "PGRST105", "PGRST117"] },
  { status: 406, codes: ["PGRST106", "PGRST107", "PGRST116"] },
  { status: 416, codes: ["PGRST103"] },
  { status: 500, codes: ["PGRST111", "PGRST112", "PGRST121"] },
] as const;

type RestErrorCode = (typeof REST_ERRORS)[number]["codes"][number];

const STATUSES = new Map(REST_ERRORS.flatMap(({ status, codes }) => codes.map((code) => [code as string, status])));

/** An error as PostgREST reports it. */
export function restError(code: RestErrorCode, message: string, extra: AppErrorExtra = {}): AppError {
  return foreignError({ code, status: STATUSES.get(code) ?? 500 }, message, extra);
}

/** The statuses whose bodies always have the service's code, whatever the cause. The foreign code is sent in `Proxy-Status`. */
const OWN_BODIES: ReadonlyMap<number, ErrorCode> = new Map([
  [401, "UNAUTHORIZED"],
  [403, "FORBIDDEN"],
  [429, "RATE_LIMITED"],
]);

/** An error with a code and status of PostgreSQL, PostgREST or a function. */
export function foreignError(
  foreign: { readonly code: string; readonly status: number },
  message: string,
  extra: AppErrorExtra,
): AppError {
  const { code, status } = foreign;
  const upstream = /^[\w-]+$/.test(code) ? { upstreamCode: code } : {};
  const own = OWN_BODIES.get(status);
  if (own === undefined) {
    return new AppError(nearestOwnCode(status), message, { ...extra, ...upstream, foreign: { code, status } });
  }
  const { "retry-after": retryAfter = "", ...headers } = extra.headers ?? {};
  return new AppError(own, message, {
    ...extra,
    ...upstream,
    // The token is valid, so the challenge contains no error.
    headers: status === 401 ? { "www-authenticate": "Bearer", ...headers } : headers,
    // The body repeats the header, as a number.
    ...(/^\d{1,9}$/.test(retryAfter) && { retryAfterSeconds: Number(retryAfter) }),
  });
}

const OWN_CODES: ReadonlyMap<number, ErrorCode> = new Map([
  [404, "NOT_FOUND"],
  [405, "METHOD_NOT_ALLOWED"],
  [503, "SERVICE_UNAVAILABLE"],
]);

/** The service's code for the status, which is logged. */
function nearestOwnCode(status: number): ErrorCode {
  return OWN_CODES.get(status) ?? (status < 500 ? "BAD_REQUEST" : "INTERNAL_ERROR");
}
