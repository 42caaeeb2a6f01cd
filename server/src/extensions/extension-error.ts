import type { FunctionError } from "@swarmbase/sdk";
import { AppError } from "../errors/index.ts";
import type { ExtensionError } from "./route-port.ts";

/** An error of the service or of one of its functions as routes render it. Null for an unexpected error, which callers must not see. */
export function toExtensionError(error: unknown): ExtensionError | null {
  if (error instanceof AppError) return describeAppError(error);
  if (!isFunctionError(error)) return null;
  const { status, code, message, details, retryAfterSeconds } = error;
  return { status, code, message, details, retryAfterSeconds };
}

export function describeAppError({ status, code, message, extra }: AppError): ExtensionError {
  const { foreign, details = null, retryAfterSeconds = null } = extra;
  return { status, code: foreign?.code ?? code, message, details, retryAfterSeconds };
}

/** By its name: the extension may have another copy of the SDK. */
export function isFunctionError(error: unknown): error is FunctionError {
  return error instanceof Error && error.name === "FunctionError";
}
