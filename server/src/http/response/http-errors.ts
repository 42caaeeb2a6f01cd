import { translateConflict, translateUnavailable } from "../../db/index.ts";
import { AppError, toAppError, withShortText } from "../../errors/index.ts";
import { clientGoneError } from "../request/client-signal.ts";
import type { RouteRequest } from "../route-request.ts";
import { addAuthMembers } from "./auth-members.ts";

const REST_PATH = /^\/rest\/v1(?:[/?]|$)/;

/** Translates errors of an unavailable database; every unknown error is internal. */
export function toHttpError(error: unknown, request: RouteRequest): AppError {
  const known = toKnownError(error, request);
  return REST_PATH.test(request.url) ? known : withShortText(addAuthMembers(known, request.url));
}

function toKnownError(error: unknown, request: RouteRequest): AppError {
  if (error instanceof AppError) return error;
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
