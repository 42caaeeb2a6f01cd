import type { IncomingMessage, ServerResponse } from "node:http";
import type { ErrorCode } from "@swarmbase/sdk";
import type { AppError } from "../../errors/index.ts";
import type { Observer } from "../../observe/index.ts";
import { PROBE_PATHS } from "../routes/health-routes.ts";
import { requestIdOf } from "../request/request-id.ts";

const PATH_LOG_LENGTH = 256;
const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}(?:-|$)/;

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

/** Errors of other systems: a model provider, a tool, or a webhook endpoint. */
const UPSTREAM_CODES: ReadonlySet<string> = new Set([
  "DELIVERY_FAILED",
  "PROVIDER_ERROR",
  "PROVIDER_NOT_CONFIGURED",
  "PROVIDER_TIMEOUT",
  "TOOL_ERROR",
] satisfies ErrorCode[]);

export function createAccessLog(observer: Observer): AccessLog {
  return {
    begin(request, response: KeptResponse) {
      const startedMs = performance.now();
      const kept: Kept = { details: UNKNOWN, failure: null };
      response[KEPT] = kept;
      response.once("close", () => {
        const { details, failure } = kept;
        const path = pathOf(request.url);
        const { name, ...more } = describeOutcome(failure, path);
        observer.note(name, {
          method: request.method,
          path,
          route: details.route,
          userId: details.userId,
          status: response.statusCode,
          durationMs: Math.round((performance.now() - startedMs) * 10) / 10,
          requestId: requestIdOf(request),
          traceId: traceOf(request.headers["traceparent"]),
          isCutShort: isCutShort(response) || undefined,
          ...more,
        });
      });
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
  return typeof traceparent === "string" ? TRACEPARENT.exec(traceparent)?.[1] : undefined;
}

/** Without the query, which can contain keys and tokens. */
function pathOf(url: string | undefined): string {
  return (url ?? "").split("?", 1)[0]?.slice(0, PATH_LOG_LENGTH) ?? "";
}
