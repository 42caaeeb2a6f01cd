import { findOutboundFault } from "@swarmbase/guarded-fetch";
import { ToolFailure } from "./tool-failure.ts";

/** Translates a failed request of a tool. Messages of the operating system are dropped because they contain addresses. */
export function explainFetchError(error: unknown, attempts: number): ToolFailure {
  const { code, message } = findOutboundFault(error);
  const extra = { attempts, cause: error };
  switch (code) {
    case "blocked_address":
    case "invalid_url":
    case "invalid_header":
      return new ToolFailure("TOOL_BLOCKED", message, extra);
    case "redirect":
      return new ToolFailure("TOOL_HTTP_ERROR", message, extra);
    case "aborted":
      return new ToolFailure("TOOL_CANCELLED", message, extra);
    case "timeout":
    case "connect_timeout":
    case "dns":
    case "connect_refused":
    case "tls":
    case "reset":
    case "protocol":
      return new ToolFailure("TOOL_UNREACHABLE", message, { ...extra, isRetryable: true });
  }
}
