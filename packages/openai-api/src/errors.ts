import {
  type ExtensionContext,
  type ExtensionError,
  type ExtensionErrorResponse,
  isRecord,
  toExtensionError,
} from "swarmbase/extension";

/** An error that only this protocol has: a parameter, or a model, that the service cannot serve. */
export class RequestFault extends Error {
  readonly status: number;
  readonly param: string | null;
  readonly code: string;

  constructor(
    message: string,
    { status = 400, param = null, code }: Partial<Omit<RequestFault, "code">> & { code: string },
  ) {
    super(message);
    this.status = status;
    this.param = param;
    this.code = code;
  }
}

export function unsupported(param: string, reason: string): RequestFault {
  return new RequestFault(`${param} is not supported: ${reason}`, { param, code: "unsupported_parameter" });
}

export function invalid(param: string, reason: string): RequestFault {
  return new RequestFault(`${param} ${reason}`, { param, code: "invalid_value" });
}

interface ErrorBody {
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly param: string | null;
    readonly code: string;
  };
}

type Rendered = Pick<ExtensionError, "status" | "code" | "message" | "details">;

/** The error as the `openai` package reads it. The code is the service's. */
function renderBody({ status, code, message, details }: Rendered): ErrorBody {
  const [name, fault] = (isRecord(details) ? Object.entries(details)[0] : undefined) ?? [];
  // Settings of a call are parameters of their own here, and tools have another name.
  const param = name?.replace(/^settings\./, "").replace(/^client_tools/, "tools") ?? null;
  const text = param === null ? message : `${message}: ${param} ${String(fault)}`;
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
export function renderThrown(error: unknown, { fail }: Pick<ExtensionContext, "fail">): ErrorBody {
  if (error instanceof RequestFault) return renderFault(error);
  const known = toExtensionError(error);
  if (known !== null) return renderBody(known);
  fail("a stream broke off", error);
  return renderBody({ status: 500, code: "INTERNAL_ERROR", message: "Something went wrong", details: null });
}

export function renderFault({ message, status, param, code }: RequestFault): ErrorBody {
  return { error: { message, type: typeOf(status), param, code } };
}

function typeOf(status: number): string {
  if (status === 401) return "authentication_error";
  if (status === 403) return "permission_error";
  if (status === 429) return "rate_limit_error";
  return status >= 500 ? "server_error" : "invalid_request_error";
}
