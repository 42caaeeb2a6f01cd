import type { IncomingMessage, ServerResponse } from "node:http";
import { context } from "@opentelemetry/api";
import type { ErrorCode } from "@swarmbase/sdk";
import type { AppError } from "../../errors/index.ts";
import { type Observer, parseTraceparent } from "../../observe/index.ts";
import { PROBE_PATHS } from "../request/probe-paths.ts";
import { requestIdOf } from "../request/request-id.ts";

const PATH_LOG_LENGTH = 256;

export interface AccessLog {
  begin(request: IncomingMessage, response: ServerResponse): void;
  /** Records route and user for the log line of the request. */
  identify(response: ServerResponse, details: RequestDetails): void;
  /** Records the error of the response. */
  fail(response: ServerResponse, error: AppError): void;
}

interface RequestDetails {
  /** As in the route table, so that requests can be grouped by it. */
  readonly route: string;
  readonly userId?: string;
  /** The program that acts for the user. */
  readonly clientId?: string;
}

const UNKNOWN: RequestDetails = { route: "none" };
const KEPT = Symbol("what the log keeps of a request");

interface Kept {
  details: RequestDetails;
  failure: AppError | null;
}

// A property and not a WeakMap, whose entries every garbage collection would visit.
interface KeptResponse extends ServerResponse {
  [KEPT]?: Kept;
}

/** Errors of other systems: a model provider or its model, a tool, a webhook endpoint, or a function of the operator. */
const UPSTREAM_CODES: ReadonlySet<string> = new Set([
  "DELIVERY_FAILED",
  "FUNCTION_FAILED",
  "FUNCTION_TIMEOUT",
  "GUARDRAIL_FAILED",
  "LOOP_DETECTED",
  "MAX_TOKENS_REACHED",
  "PROVIDER_ERROR",
  "PROVIDER_NOT_CONFIGURED",
  "PROVIDER_TIMEOUT",
  "RESPONSE_SCHEMA_MISMATCH",
  "TOOL_ERROR",
] satisfies ErrorCode[]);

/** `isTraced`: requests run in the context of a span, to which their lines belong. */
export function createAccessLog(observer: Observer, { isTraced = false } = {}): AccessLog {
  return {
    begin(request, response: KeptResponse) {
      const startedMs = performance.now();
      const kept: Kept = { details: UNKNOWN, failure: null };
      response[KEPT] = kept;
      const onClose = (): void => {
        const { details, failure } = kept;
        const path = loggedPath(request.url);
        const { name, ...more } = describeOutcome(failure, path);
        observer.note(name, {
          method: request.method,
          path,
          route: details.route,
          userId: details.userId,
          clientId: details.clientId,
          status: response.statusCode,
          durationMs: Math.round((performance.now() - startedMs) * 10) / 10,
          requestId: requestIdOf(request),
          traceId: traceOf(request.headers["traceparent"]),
          isCutShort: isCutShort(response) || undefined,
          ...more,
        });
      };
      response.once("close", isTraced ? context.bind(context.active(), onClose) : onClose);
    },
    identify(response: KeptResponse, details) {
      const kept = response[KEPT];
      if (kept !== undefined) kept.details = details;
    },
    fail(response: KeptResponse, error) {
      const kept = response[KEPT];
      if (kept !== undefined) kept.failure = error;
    },
  };
}

/** What is known of a request so far; `route` is null when none matched. */
export function findRequestDetails(response: KeptResponse): {
  readonly route: string | null;
  readonly userId: string | undefined;
  readonly clientId: string | undefined;
  readonly failure: AppError | null;
} {
  const { details, failure } = response[KEPT] ?? { details: UNKNOWN, failure: null };
  const { route, userId, clientId } = details;
  return { route: details === UNKNOWN ? null : route, userId, clientId, failure };
}

interface Outcome {
  readonly name: "request.completed" | "request.unavailable" | "request.upstream_failed" | "request.failed";
  readonly error?: unknown;
  readonly code?: string;
  readonly reason?: string;
}

function describeOutcome(failure: AppError | null, path: string): Outcome {
  if (failure === null || failure.status < 500) return { name: "request.completed" };
  const error = failure.cause ?? failure;
  // Probes repeat while the database is unavailable, which is logged once, elsewhere.
  if (PROBE_PATHS.has(path)) return { name: "request.completed", error };
  if (UPSTREAM_CODES.has(failure.code)) {
    // Not the cause, which can quote what the other system sent.
    return { name: "request.upstream_failed", code: failure.code, reason: failure.message };
  }
  return { name: failure.code === "SERVICE_UNAVAILABLE" ? "request.unavailable" : "request.failed", error };
}

/** A response that was written past Node's response object has an error status, but no headers of its own. */
function isCutShort({ writableFinished, headersSent, statusCode }: ServerResponse): boolean {
  return !writableFinished && (headersSent || statusCode < 400);
}

/** The caller's trace id, to correlate log lines. */
function traceOf(traceparent: string | string[] | undefined): string | undefined {
  return typeof traceparent === "string" ? parseTraceparent(traceparent)?.traceId : undefined;
}

/** Without the query, which can contain keys and tokens. */
export function loggedPath(url: string | undefined): string {
  return (url ?? "").split("?", 1)[0]?.slice(0, PATH_LOG_LENGTH) ?? "";
}
