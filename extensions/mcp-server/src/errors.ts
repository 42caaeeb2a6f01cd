import { type CallToolResult, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { type ExtensionError, toExtensionError } from "swarmbase/extension";
import type { Caller } from "./caller.ts";

/** The member of `_meta` with the code of the service. */
const ERROR_META = "swarmbase/error";

/** Whether the caller, or the model behind it, can do something about the error. */
export function isAnswerable(error: unknown): boolean {
  const fault = toExtensionError(error);
  return fault !== null && fault.status !== 401 && fault.code !== "INTERNAL_ERROR";
}

/** The error as a result that the model reads. Throws a protocol error for what a model cannot correct. */
export function toToolError(caller: Caller, error: unknown): CallToolResult {
  const fault = toExtensionError(error);
  if (fault === null || !isAnswerable(error)) throw toProtocolError(caller, error);
  return renderToolError(fault);
}

export function renderToolError({
  code,
  message,
  details = null,
  retryAfterSeconds = null,
}: Pick<ExtensionError, "code" | "message"> & Partial<ExtensionError>): CallToolResult {
  const lines = [
    `${code}: ${message}`,
    ...(details === null ? [] : [JSON.stringify(details)]),
    ...(retryAfterSeconds === null ? [] : [`Try again in ${retryAfterSeconds} seconds.`]),
  ];
  return {
    isError: true,
    content: [{ type: "text", text: lines.join("\n") }],
    _meta: { [ERROR_META]: { code, message, details } },
  };
}

/** The error of a request that is no tool call. An unexpected error is logged, and its message is not sent. */
export function toProtocolError({ fail }: Caller, error: unknown): ProtocolError {
  if (error instanceof ProtocolError) return error;
  const fault = toExtensionError(error);
  if (fault === null || fault.code === "INTERNAL_ERROR") {
    fail("A request of the Model Context Protocol failed", error);
    return new ProtocolError(ProtocolErrorCode.InternalError, "An internal error occurred", {
      code: "INTERNAL_ERROR",
    });
  }
  const { status, code, message, details } = fault;
  const isParameter = status === 400 || status === 404;
  return new ProtocolError(isParameter ? ProtocolErrorCode.InvalidParams : -32_000, message, { code, details });
}
