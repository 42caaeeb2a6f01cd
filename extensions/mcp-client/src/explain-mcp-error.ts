import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from "@modelcontextprotocol/client";
import { AppError, explainFetchError, ToolFailure, wasNeverSent } from "swarmbase/extension";
import { AnswerTooLongError } from "./sessions/bounded-fetch.ts";

/** Translates the error of a call to an MCP server. */
export function explainMcpError(error: unknown, attempts: number): ToolFailure {
  const known = findCause(error, ToolFailure);
  if (known !== null) return known;
  const extra = { attempts, cause: error };
  const tooLong = findCause(error, AnswerTooLongError);
  if (tooLong !== null) return new ToolFailure("TOOL_UNREACHABLE", tooLong.message, { ...extra, isRetryable: true });
  const unavailable = findCause(error, AppError);
  if (unavailable?.code === "SERVICE_UNAVAILABLE")
    return new ToolFailure("TOOL_UNREACHABLE", unavailable.message, { ...extra, isRetryable: true });
  const status = statusOf(error);
  if (status === 401 || status === 403) {
    return new ToolFailure("TOOL_HTTP_ERROR", `The MCP server refused the tool's credentials (${status}).`, extra);
  }
  if (status !== null) {
    return new ToolFailure("TOOL_HTTP_ERROR", `The MCP server answered with status ${status}.`, {
      ...extra,
      isRetryable: status >= 500 || status === 429,
    });
  }
  if (error instanceof ProtocolError) {
    return new ToolFailure("TOOL_REMOTE_ERROR", `The MCP server refused the call (${error.code}).`, {
      ...extra,
      text: error.message,
    });
  }
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) {
    return new ToolFailure("TOOL_TIMED_OUT", "The MCP server did not answer in time.", { ...extra, isRetryable: true });
  }
  if (error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed)
    return new ToolFailure("TOOL_UNREACHABLE", "The MCP server has ended the connection.", {
      ...extra,
      isRetryable: true,
    });
  if (isOfNetwork(error)) return explainFetchError(error, attempts);
  return new ToolFailure("TOOL_REMOTE_ERROR", "The MCP server's response is not valid.", extra);
}

/** The server does not know the session or was not reached: it has not processed the call, and a new connection may help. */
export function isLostConnection(error: unknown): boolean {
  const status = statusOf(error);
  if (status !== null) return status === 404 || status === 410;
  if (error instanceof SdkError && error.code === SdkErrorCode.NotConnected) return true;
  return isOfNetwork(error) && wasNeverSent(error);
}

function statusOf(error: unknown): number | null {
  return findCause(error, SdkHttpError)?.status ?? null;
}

function findCause<Cause extends Error>(error: unknown, type: new (...given: never[]) => Cause): Cause | null {
  for (let next = error; next instanceof Error; next = next.cause) if (next instanceof type) return next;
  return null;
}

/** Looks at the causes below the errors of the MCP client. */
function isOfNetwork(error: unknown): boolean {
  for (let next = error; next instanceof Error; next = next.cause) {
    if (next instanceof SdkError) continue;
    const { code } = next as { readonly code?: unknown };
    const isOfSystem = typeof code === "string" && /^(?:E[A-Z]+$|UND_|HPE_|ERR_)/.test(code);
    if (isOfSystem || next.name === "OutboundError") return true;
    if (next instanceof TypeError && next.cause instanceof Error) return true;
  }
  return false;
}
