import {
  AppError,
  type ExtensionContext,
  type ExtensionError,
  type ExtensionErrorResponse,
  isRecord,
  toExtensionError,
} from "swarmbase/extension";

export function unsupported(param: string, reason: string): AppError {
  return fault("unsupported_parameter", param, `is not supported: ${reason}`);
}

export function invalid(param: string, reason: string): AppError {
  return fault("invalid_value", param, reason);
}

/** An error with a code that only this API has. */
export function fault(code: string, param: string, reason: string, status = 400): AppError {
  const foreign = { code, status };
  return new AppError("VALIDATION_ERROR", "The request is not valid", { foreign, details: { [param]: reason } });
}

/** The service names images by their place among all of a request. */
const IMAGES = "image_url";

type Rendered = Pick<ExtensionError, "status" | "code" | "message" | "details">;

/** The error as the `openai` package reads it. The code is the service's. */
function renderBody({ status, code, message, details }: Rendered) {
  const [name, reason] = (isRecord(details) ? Object.entries(details)[0] : undefined) ?? [];
  // Settings of a call are parameters of their own here, and tools have another name.
  const named =
    name
      ?.replace(/^settings\./, "")
      .replace(/^client_tools/, "tools")
      .replace(/^images.*/, IMAGES) ?? null;
  const text = named === null ? message : `${message}: ${named} ${String(reason)}`;
  const param = code === "AGENT_NOT_FOUND" ? "model" : named;
  return { error: { message: text, type: typeOf(status), param, code } };
}

export function renderError(error: ExtensionError): ExtensionErrorResponse {
  const { retryAfterSeconds } = error;
  return {
    ...(retryAfterSeconds !== null && { headers: { "retry-after": String(retryAfterSeconds) } }),
    body: renderBody(error),
  };
}

/** The body of an error after a stream has begun. An error that the client may not see is logged. */
export function renderThrown(error: unknown, { fail }: Pick<ExtensionContext, "fail">): ReturnType<typeof renderBody> {
  const known = toExtensionError(error);
  if (known !== null) return renderBody(known);
  fail("a stream broke off", error);
  return renderBody({ status: 500, code: "INTERNAL_ERROR", message: "Something went wrong", details: null });
}

const TYPES: Readonly<Record<number, string>> = {
  401: "authentication_error",
  403: "permission_error",
  429: "rate_limit_error",
};

function typeOf(status: number): string {
  return TYPES[status] ?? (status >= 500 ? "server_error" : "invalid_request_error");
}
