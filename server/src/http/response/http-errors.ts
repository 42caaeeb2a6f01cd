import type { ErrorCode } from "@swarmbase/sdk";
import type { FastifyRequest } from "fastify";
import { translateConflict, translateUnavailable } from "../../db/index.ts";
import { AppError, toAppError, withShortText } from "../../errors/index.ts";
import { clientGoneError } from "../request/client-signal.ts";
import { addAuthMembers } from "./auth-members.ts";

const REST_PATH = /^\/rest\/v1(?:[/?]|$)/;

/** Translates errors of Fastify and of an unavailable database; every unknown error is internal. */
export function toHttpError(error: unknown, request: FastifyRequest): AppError {
  const known = toKnownError(error, request);
  return REST_PATH.test(request.url) ? known : withShortText(addAuthMembers(known, request.url));
}

const FASTIFY_ERRORS: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ["PAYLOAD_TOO_LARGE", "The request body is too large"],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ["UNSUPPORTED_MEDIA_TYPE", "The Content-Type of the body is not supported"],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ["BAD_REQUEST", "The length of the body differs from Content-Length"],
  FST_ERR_BAD_URL: ["BAD_REQUEST", "The path is not validly percent-encoded"],
};

function toKnownError(error: unknown, request: FastifyRequest): AppError {
  if (error instanceof AppError) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code === "FST_ERR_MAX_PARAM_LENGTH") return notFoundError(request.url);
  const known = FASTIFY_ERRORS[code];
  if (known !== undefined) return new AppError(...known);
  const isAborted = request.raw.destroyed && !request.raw.complete;
  return isAborted ? clientGoneError() : toAppError(translateConflict(translateUnavailable(error)));
}

const NO_STORAGE = "Storage is not available: this service stores no files";

export function notFoundError(url: string): AppError {
  if (/^\/storage\/v1(?:[/?]|$)/.test(url)) {
    // The client of the storage API reads the status from the body.
    const hint = "Keep files in a bucket elsewhere, and store their addresses in a row.";
    return new AppError("NOT_FOUND", NO_STORAGE, { hint, members: { statusCode: "404" } });
  }
  const isFunction = /^\/functions\/v1\/[^/?]/.test(url);
  return isFunction
    ? new AppError("FUNCTION_NOT_FOUND", "No function has this name", { headers: { "x-relay-error": "true" } })
    : new AppError("NOT_FOUND", "No route matches this path");
}

export function methodNotAllowedError(allowed: readonly string[]): AppError {
  const allow = allowed.join(", ");
  return new AppError("METHOD_NOT_ALLOWED", `This path accepts ${allow}`, { headers: { allow } });
}
