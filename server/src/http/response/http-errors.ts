import type { FastifyRequest } from "fastify";
import { translateUnavailable } from "../../db/index.ts";
import { AppError, toAppError } from "../../errors/index.ts";

const AUTH_PATH = /^\/auth\/v1(?:[/?]|$)/;

/** Translates errors of Fastify and of an unavailable database; every unknown error is internal. */
export function toHttpError(error: unknown, request: FastifyRequest): AppError {
  const known = toKnownError(error, request);
  return AUTH_PATH.test(request.url) ? addGoTrueMembers(known) : known;
}

/** Auth clients expect GoTrue's members in every error, also in those that no auth endpoint raised. */
function addGoTrueMembers(error: AppError): AppError {
  const { members = {}, headers = {} } = error.extra;
  if (members["error_code"] !== undefined) return error;
  const code = error.status >= 500 ? "unexpected_failure" : "unknown";
  return new AppError(error.code, error.message, {
    ...error.extra,
    members: { error_code: code, msg: error.message, ...members },
    headers: { "x-sb-error-code": code, ...headers },
  });
}

function toKnownError(error: unknown, request: FastifyRequest): AppError {
  if (error instanceof AppError) return error;
  switch (codeOf(error)) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return new AppError("PAYLOAD_TOO_LARGE", "The request body is too large");
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return new AppError("UNSUPPORTED_MEDIA_TYPE", "The Content-Type of the body is not one that is accepted");
    case "FST_ERR_CTP_INVALID_CONTENT_LENGTH":
      return new AppError("BAD_REQUEST", "The body is not as long as Content-Length says");
    case "FST_ERR_BAD_URL":
      return new AppError("BAD_REQUEST", "The path is not validly percent-encoded");
    case "FST_ERR_MAX_PARAM_LENGTH":
      return notFoundError(request.url);
    default:
      return isAborted(request)
        ? new AppError("BAD_REQUEST", "The client closed the connection early")
        : toAppError(translateUnavailable(error));
  }
}

export function notFoundError(url: string): AppError {
  const isFunction = /^\/functions\/v1\/[^/?]/.test(url);
  return isFunction
    ? new AppError("FUNCTION_NOT_FOUND", "There is no function of this name", { headers: { "x-relay-error": "true" } })
    : new AppError("NOT_FOUND", "There is nothing at this path");
}

export function methodNotAllowedError(allowed: readonly string[]): AppError {
  const allow = allowed.join(", ");
  return new AppError("METHOD_NOT_ALLOWED", `This path takes ${allow}`, { headers: { allow } });
}

function isAborted({ raw }: FastifyRequest): boolean {
  return raw.destroyed && !raw.complete;
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : null;
}
